import type { Exchange, Sink } from '../../attempt/upstream/upstream.ts'

/** Sends an error response of the demo model asynchronously, in the next iteration of the event loop. */
export function sendDemoError({ status, message }: { status: number; message: string }, sink: Sink): Exchange {
  const headers = { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '1' }) }
  const body = Buffer.from(JSON.stringify({ error: { message, type: 'demo_error', code: status } }))
  let hasEnded = false
  const sending = setImmediate(() => {
    hasEnded = true
    sink.head(status, headers)
    sink.data(body)
    sink.end()
  })
  const abort = () => {
    if (hasEnded) return
    hasEnded = true
    clearImmediate(sending)
    sink.fail({ kind: 'aborted', phase: 'first_byte', message: 'the client disconnected' })
  }
  return { abort, pause: () => {}, resume: () => {} }
}
