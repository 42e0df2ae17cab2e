import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { now, type Word } from './intern-load.ts'

export const streamCount = 1000
/** The starts are spread over this time. */
const rampMs = 4000
/** The pause before and after the measured time, so that starts and ends of turns do not count. */
const settleMs = 2000

/** Called when all turns are running, and at the start and the end of the measured time. */
type Moments = { atRest?: () => Promise<void>; atStart?: () => void; atEnd?: () => void }

/** Starts one of the turns. Calls `onWords` for each chunk of words, and disconnects when the signal aborts. */
export type StartTurn = (stream: number, content: string, onWords: () => void, signal: AbortSignal) => Promise<Word[]>

/**
 * Runs a thousand concurrent turns, started one by one, that write words at a fixed rate until they are disconnected.
 * @returns the delays of the words that were written during `seconds` while all turns were running, in milliseconds
 */
export async function runConcurrentTurns(
  chunksPerSecond: number,
  seconds: number,
  startTurn: StartTurn,
  { atRest = async () => {}, atStart = () => {}, atEnd = () => {} }: Moments = {},
) {
  const content = `clock 1000000 ${Math.round((streamCount * 1000) / chunksPerSecond)}`
  const disconnect = new AbortController()
  setMaxListeners(0, disconnect.signal)
  const turns: Promise<Word[]>[] = []
  const running = new Set<number>()
  for (let stream = 0; stream < streamCount; stream++) {
    turns.push(startTurn(stream, content, () => running.add(stream), disconnect.signal))
    await sleep(rampMs / streamCount)
  }
  while (running.size < streamCount) await sleep(50)
  await atRest()
  await sleep(settleMs)
  const startedAt = now()
  atStart()
  await sleep(seconds * 1000)
  const endedAt = now()
  atEnd()
  // Waits for the last words of the measured time.
  await sleep(500)
  disconnect.abort()
  const words = (await Promise.all(turns)).flat()
  await sleep(settleMs)
  return words.flatMap(({ writtenAt, delay }) => (writtenAt > startedAt && writtenAt < endedAt ? delay : []))
}
