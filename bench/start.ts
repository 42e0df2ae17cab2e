import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitWithVerdict, median, report } from './report.ts'
import {
  apiKey,
  prepareFolder,
  processorMicroseconds,
  type RunningServer,
  residentMegabytes,
  start,
  startService,
} from './servers.ts'

// Measures the time from the start of the process to its first response, and compares it with a minimal node:http server.
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

/** A server that runs for this time has written the code cache of its bundle, even on a slow machine. */
const cacheWrittenMs = 6000

type Start = { wallMs: number; listeningMs: number; processorMs: number; residentMb: number }
const starts: Record<'ours' | 'hello', Start[]> = { ours: [], hello: [] }
try {
  // Two starts warm up: the first has an empty data folder and empty caches.
  for (let round = -2; round < rounds; round++) {
    const bare = await measureStart(() => start([hello], {}), '/')
    const ours = await measureStart(() => startService(fixture), '/models?limit=1', round < 0 ? cacheWrittenMs : 0)
    if (round < 0) continue
    starts.hello.push(bare)
    starts.ours.push(ours)
  }
} finally {
  fixture.remove()
}
const medianOf = (program: keyof typeof starts, figure: keyof Start) =>
  median(starts[program].map((start) => start[figure]))
for (const program of ['hello', 'ours'] as const) {
  report(
    `${program}: start to listening, to the first response`,
    `${medianOf(program, 'listeningMs').toFixed(0)}, ${medianOf(program, 'wallMs').toFixed(0)} ms`,
  )
  report('  processor time', `${medianOf(program, 'processorMs').toFixed(0)} ms`)
  report('  resident memory after it', `${medianOf(program, 'residentMb').toFixed(0)} MB`)
}
const ratio = median(starts.ours.map((start, round) => start.wallMs / starts.hello[round]!.wallMs))
// Independent of the machine: 0.4 s and 150 MB where the minimal server needs 50 ms and 60 MB.
report('start to first response, compared with hello', `${ratio.toFixed(2)} times`, {
  text: '<= 8 times',
  isMet: ratio <= 8,
})
const memoryRatio = medianOf('ours', 'residentMb') / medianOf('hello', 'residentMb')
report('resident memory, compared with hello', `${memoryRatio.toFixed(2)} times`, {
  text: '<= 2.5 times',
  isMet: memoryRatio <= 2.5,
})
exitWithVerdict()

async function measureStart(startServer: () => Promise<RunningServer>, path: string, stopAfterMs = 0): Promise<Start> {
  const startedAt = performance.now()
  const server = await startServer()
  const response = await fetch(`${server.url.replace(/\/$/, '')}${path}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`The first response has status ${response.status}.`)
  const wallMs = performance.now() - startedAt
  const processorMs = processorMicroseconds(server.pid) / 1000
  const residentMb = residentMegabytes(server.pid) ?? 0
  await sleep(stopAfterMs)
  await server.stop()
  return { wallMs, listeningMs: server.msToListen, processorMs, residentMb }
}
