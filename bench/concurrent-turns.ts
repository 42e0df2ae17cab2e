import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { now, type Word } from './intern-load.ts'

export const streams = 1000
const rampMs = 4000

/** One of a thousand turns: it calls `onWords` whenever it hears some, and is left when `signal` says so. */
export type Begin = (stream: number, content: string, onWords: () => void, signal: AbortSignal) => Promise<Word[]>

/**
 * A thousand concurrent turns, started one by one, that write a word regularly until they are disconnected. Measures what is
 * said for `seconds` while every one of them talks.
 */
export async function talkAtOnce(
  chunksPerSecond: number,
  seconds: number,
  begin: Begin,
  { atRest = async () => {}, atStart = () => {}, atEnd = () => {} } = {},
) {
  const content = `clock 1000000 ${Math.round((streams * 1000) / chunksPerSecond)}`
  const leaving = new AbortController()
  setMaxListeners(0, leaving.signal)
  const turns: Promise<Word[]>[] = []
  const talking = new Set<number>()
  for (let stream = 0; stream < streams; stream++) {
    turns.push(begin(stream, content, () => talking.add(stream), leaving.signal))
    await sleep(rampMs / streams)
  }
  while (talking.size < streams) await sleep(50)
  await atRest()
  await sleep(2000)
  const from = now()
  atStart()
  await sleep(seconds * 1000)
  const to = now()
  atEnd()
  await sleep(500)
  leaving.abort()
  const words = (await Promise.all(turns)).flat()
  await sleep(2000)
  return words.flatMap(({ saidAt, delay }) => (saidAt > from && saidAt < to ? delay : []))
}
