import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiKey } from '#test/harness/service/load/priced-servers.ts'

/** How a request ended for its client. */
export type Ended = {
  name: string
  /** The balancer's name of the server that answered. */
  server: string | undefined
  /** Undefined without any response. */
  status: number | undefined
  /** Whether the response is complete. */
  whole: boolean
  at: number
  text: string
}

type Wish = { tokens: number; ms?: number; stream?: boolean; most?: number }

/** One request. Never rejects. */
export async function request(url: string, { tokens, ms = 0, stream = false, most = tokens }: Wish): Promise<Ended> {
  const name = randomUUID()
  const ended: Ended = { name, server: undefined, status: undefined, whole: false, at: 0, text: '' }
  try {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'test/steady',
        max_tokens: most,
        stream,
        messages: [{ role: 'user', content: `${name} ${tokens} ${ms}` }],
      }),
    })
    ended.server = response.headers.get('x-served-by') ?? undefined
    ended.status = response.status
    ended.text = await response.text()
    ended.whole = response.ok && (!stream || ended.text.includes('data: [DONE]')) && !ended.text.includes('"error":{')
  } catch (error) {
    ended.text = String((error as Error).cause ?? error)
  }
  ended.at = Date.now()
  return ended
}

/** The most requests in flight: on a machine that is slower than the rate, later ones wait instead of piling up. */
const maxInFlight = 200

/** Sends requests at a steady rate, without waiting for the responses to earlier ones. */
export function startTraffic(url: string, perSecond: number, wish: (count: number) => Wish) {
  const sent: Promise<Ended>[] = []
  const startedAt = Date.now()
  let inFlight = 0
  const send = async (): Promise<Ended> => {
    inFlight++
    const ended = await request(url, wish(sent.length))
    inFlight--
    return ended
  }
  const timer = setInterval(() => {
    const due = ((Date.now() - startedAt) / 1000) * perSecond
    while (sent.length < due && inFlight < maxInFlight) sent.push(send())
  }, 10)
  return {
    /** Stops sending. @returns the outcomes of all requests. */
    async stop(): Promise<Ended[]> {
      clearInterval(timer)
      return Promise.all(sent)
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await Promise.all(sent)
    },
  }
}

/** Waits for a condition. @throws when it does not hold within the time, which is long: machines may be busy. */
export async function until<T>(what: string, holds: () => Promise<T>, patienceMs = 90_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + patienceMs
  while (true) {
    const value = await holds()
    if (value) return value
    if (Date.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${what}`)
    await sleep(100)
  }
}
