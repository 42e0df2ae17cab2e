import { connect } from 'node:net'

export type Intern = { url: URL; key: string; id: string }

export const now = () => performance.timeOrigin + performance.now()

/** Times of one turn, in milliseconds. */
type Turn = { toFirstWord: number; words: Word[]; isFinished: boolean; sessionId: string | undefined }

/** A word that contains its time of writing, in milliseconds since the epoch, and its delay until it arrived. */
export type Word = { writtenAt: number; delay: number }

type Prompt = { content: string; sessionId?: string; mode?: 'manual' | 'self-drive' }

/** Actions during a turn: a listener for its first words, and a signal at which the client leaves. */
type TurnListeners = { onWords?: () => void; signal?: AbortSignal }

/**
 * Runs one turn on a separate connection. Searches for words instead of parsing chunks, so that the client is cheaper than the
 * server. Words that are times give their latency.
 */
export function takeTurn(
  intern: Intern,
  { content, sessionId, mode = 'self-drive' }: Prompt,
  { onWords, signal }: TurnListeners = {},
): Promise<Turn> {
  const messages = [{ role: 'user', content }]
  const body = JSON.stringify({ stream: true, approval_mode: mode, messages, session_id: sessionId })
  const { url, key, id } = intern
  const head = [
    `POST ${url.pathname}/interns/${id}/chat/completions HTTP/1.1`,
    `host: ${url.host}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    'connection: close',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return new Promise((resolve, reject) => {
    const startedAt = now()
    const turn: Turn = { toFirstWord: Number.NaN, words: [], isFinished: false, sessionId: undefined }
    let lastText = ''
    const socket = connect(Number(url.port), url.hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`))
    socket.setNoDelay()
    signal?.addEventListener('abort', () => socket.destroy(), { once: true })
    socket.on('data', (data) => {
      const arrivedAt = now()
      const text = data.toString('latin1')
      for (const [, words = ''] of text.matchAll(/"content":"([^"]+)"/g)) {
        if (Number.isNaN(turn.toFirstWord)) turn.toFirstWord = arrivedAt - startedAt
        for (const word of words.split(' ')) {
          const writtenAt = Number(word)
          if (writtenAt > 1e12) turn.words.push({ writtenAt, delay: arrivedAt - writtenAt })
        }
      }
      lastText = (lastText + text).slice(-1000)
      if (!Number.isNaN(turn.toFirstWord)) onWords?.()
    })
    socket.on('error', reject)
    socket.on('close', () => {
      turn.isFinished = lastText.includes('[DONE]')
      turn.sessionId = /"session_id":"([^"]+)"/.exec(lastText)?.[1]
      if (signal?.aborted || (turn.isFinished && !lastText.includes('"error"'))) resolve(turn)
      else reject(new Error(`a turn failed: ${lastText}`))
    })
  })
}

/** The smallest value that is not below the given part (0 to 1) of all values. */
export function quantile(values: number[], part: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}
