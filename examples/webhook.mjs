// Receives the events of interns and verifies their signatures: npm install standardwebhooks
// The service sends webhooks to this address if its setting WEBHOOK_ORIGINS contains it: WEBHOOK_ORIGINS=http://127.0.0.1:9099
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const { BASE_URL, MANAGEMENT_KEY, RECEIVER = 'http://127.0.0.1:9099' } = process.env
const headers = { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' }

async function manage(method, path, body = {}) {
  const response = await fetch(`${BASE_URL}${path}`, { method, headers, body: JSON.stringify(body) })
  const result = await response.json()
  if (!response.ok) throw new Error(result.error.message)
  return result
}

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request)).toString()
  try {
    // A delivery can arrive twice: its id is the same.
    const { type, data } = new Webhook(secret).verify(body, request.headers)
    console.log(`${request.headers['webhook-id']} ${type} ${JSON.stringify(data)}`)
    response.writeHead(204).end()
  } catch {
    response.writeHead(401).end()
  }
})
server.listen(Number(new URL(RECEIVER).port), '127.0.0.1')
await once(server, 'listening')

const { data: webhook, secret } = await manage('POST', '/webhooks', { url: `${RECEIVER}/signalbox` })
await manage('POST', `/webhooks/${webhook.id}/test`)
console.log('Waiting for events. Ctrl-C deletes the webhook.')
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await manage('DELETE', `/webhooks/${webhook.id}`)
server.close()
