import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// The baseline for `GET /models`: writes the bytes of a file, without any other work.
const [file, contentEncoding] = process.argv.slice(2)
const body = readFileSync(file!)
const headers: Record<string, string | number> = { 'content-type': 'application/json', 'content-length': body.length }
if (contentEncoding !== 'identity') headers['content-encoding'] = contentEncoding!
const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
})
process.on('SIGTERM', () => process.exit(0))
