import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitWithVerdict, median, report } from './report.ts'
import {
  apiKey,
  prepareFolder,
  processorMicroseconds,
  type Running,
  residentMegabytes,
  start,
  startService,
} from './servers.ts'

/** From the start of the process to its first answer, beside the smallest server there is, by turns. */
const rounds = Number(process.env.ROUNDS ?? 15)
const fixture = prepareFolder()
const hello = join(fixture.folder, 'hello.mjs')
writeFileSync(
  hello,
  `import { createServer } from 'node:http'
const server = createServer((_request, response) => response.end('hello'))
server.listen(0, '127.0.0.1', () => console.log('listening on http://127.0.0.1:' + server.address().port))
process.on('SIGTERM', () => process.exit(0))`,
)

type Start = { wall: number; listening: number; processor: number; resident: number }
const starts: Record<'ours' | 'hello', Start[]> = { ours: [], hello: [] }
try {
  // The first has an empty data folder, an empty cache and no bundle's code compiled yet: it keeps that after 3 s.
  for (let round = -2; round < rounds; round++) {
    const bare = await measured(() => start([hello], {}), '/')
    const ours = await measured(() => startService(fixture), '/models?limit=1', round < 0 ? 6000 : 0)
    if (round < 0) continue
    starts.hello.push(bare)
    starts.ours.push(ours)
  }
} finally {
  fixture.remove()
}
const of = (who: keyof typeof starts, figure: keyof Start) => median(starts[who].map((one) => one[figure]))
for (const who of ['hello', 'ours'] as const) {
  report(
    `${who}: start to listening, to the first answer`,
    `${of(who, 'listening').toFixed(0)}, ${of(who, 'wall').toFixed(0)} ms`,
  )
  report('  processor time', `${of(who, 'processor').toFixed(0)} ms`)
  report('  resident after it', `${of(who, 'resident').toFixed(0)} MB`)
}
const ratio = median(starts.ours.map((one, at) => one.wall / starts.hello[at]!.wall))
report('start to first answer, against hello', `${ratio.toFixed(2)} times`, { text: '<= 1.6 times', met: ratio <= 1.6 })
exitWithVerdict()

async function measured(begin: () => Promise<Running>, path: string, stopAfterMs = 0): Promise<Start> {
  const before = performance.now()
  const server = await begin()
  const answer = await fetch(`${server.url.replace(/\/$/, '')}${path}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`The first answer has status ${answer.status}.`)
  const wall = performance.now() - before
  const processor = processorMicroseconds(server.pid) / 1000
  const resident = residentMegabytes(server.pid) ?? 0
  await sleep(stopAfterMs)
  await server.stop()
  return { wall, listening: server.msToListen, processor, resident }
}
