import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { until } from '../until.ts'

type Received = { headers: Record<string, string>; body: string; result: any }

type Respond = (response: ServerResponse, at: number) => void

/** A receiver of webhooks: a real server. `await using` closes it. */
export async function startReceiver(respond: Respond = (response) => response.writeHead(204).end()) {
  const received: Received[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = ''
    for await (const piece of request) body += piece
    received.push({ headers: request.headers as Record<string, string>, body, result: JSON.parse(body) })
    respond(response, received.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/hook?token=t0ps3cret`,
    received,
    /** The first event of a type that meets the condition. */
    receive: (type: string, isWanted: (data: any) => boolean = () => true) =>
      until(() => received.find(({ result }) => result.type === type && isWanted(result.data)) ?? false),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * The event as the Standard Webhooks library verifies it.
 * @throws Error for a signature that does not match the secret.
 */
export const verified = (secret: string, { headers, body }: Received): any => new Webhook(secret).verify(body, headers)
