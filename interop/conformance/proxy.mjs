// The suite sends no token: this proxy adds it, and changes nothing else.
// node proxy.mjs PORT TOKEN HOST:PORT
import http from "node:http";

const [port, token, target] = process.argv.slice(2);
const [host, targetPort] = target.split(":");

http
  .createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const onward = http.request(
      { host, port: targetPort, method: request.method, path: request.url, headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  })
  .listen(Number(port), "127.0.0.1", () => console.log("ready"));
