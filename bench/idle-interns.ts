/**
 * Measures the cost of many idle interns, awake and asleep, and the time to the first word of a sleeping one:
 * `npm run bench:idle-interns -- 1000`. Measures at most `KEPT` interns that are awake, because each needs a process.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createIntern, requestJson } from './intern-api.ts'
import { type Intern, quantile, takeTurn } from './intern-load.ts'
import { exitWithVerdict, report } from './report.ts'
import {
  apiKey,
  npmStartArguments,
  prepareFolder,
  processorMicroseconds,
  proportionalMegabytes,
  type RunningServer,
  residentMegabytes,
  start,
} from './servers.ts'

const count = Number(process.argv[2] ?? 1000)
const awakeCount = Math.min(count, Number(process.env.KEPT ?? 100))
const wakes = Math.min(count, Number(process.env.WAKES ?? 100))
const restMs = 10_000

await bench(awakeCount, 0, reportAwake)
await bench(count, 3000, reportAsleep)
exitWithVerdict()

async function bench(
  number: number,
  idleMs: number,
  measure: (server: RunningServer, dataDir: string, interns: Intern[]) => Promise<void>,
) {
  const fixture = prepareFolder()
  const dataDir = join(fixture.folder, 'data')
  const server = await start(npmStartArguments(), {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    BOOTSTRAP_API_KEY: apiKey,
    LOG_LEVEL: 'error',
    DEMO_INTERN: 'false',
    CONSOLE: 'false',
    INTERN_IDLE_MS: String(idleMs),
    // Daemons of one user share their compiled code, as they do where the server is not root.
    INTERN_USERS_FROM: '0',
    TURNS_PER_MINUTE_USER: '1000000',
    TURNS_PER_MINUTE_ORGANIZATION: '1000000',
  })
  try {
    const memoryBefore = residentMegabytes(server.pid)!
    const interns: Intern[] = []
    // A few at a time, so that the machine is not overloaded.
    let started = 0
    const createInterns = async () => {
      while (started < number) interns.push(await createIntern(server.url, `idle-${++started}`))
    }
    await Promise.all(Array.from({ length: 3 }, createInterns))
    console.log(
      `${number} interns created; the server needed ${(residentMegabytes(server.pid)! - memoryBefore).toFixed(0)} MB for them`,
    )
    await measure(server, dataDir, interns)
  } finally {
    await server.stop()
    fixture.remove()
  }
}

/** The processes of interns: the daemons and their descendants. */
function processesOf(dataDir: string): number[] {
  return globSync('/proc/[0-9]*/environ').flatMap((file) => {
    try {
      return readFileSync(file, 'utf8').includes(dataDir) ? [Number(file.split('/')[2])] : []
    } catch {
      return []
    }
  })
}

async function reportCosts(server: RunningServer, dataDir: string, number: number) {
  const pids = processesOf(dataDir).filter((pid) => pid !== server.pid)
  const megabytes = pids.reduce((sum, pid) => sum + proportionalMegabytes(pid), 0)
  const all = [server.pid, ...pids]
  const processorTime = () => all.reduce((sum, pid) => sum + (processorMicroseconds(pid) || 0), 0)
  const timeBefore = processorTime()
  await sleep(restMs)
  const percent = ((processorTime() - timeBefore) / (restMs * 1000)) * 100
  report(`${number} idle: processes other than the server`, String(pids.length))
  report(`${number} idle: memory of an intern (proportional)`, `${(megabytes / number).toFixed(2)} MB`)
  report(`${number} idle: memory of all interns`, `${megabytes.toFixed(0)} MB`)
  report(`${number} idle: the server, resident`, `${residentMegabytes(server.pid)!.toFixed(0)} MB`)
  report(`${number} idle: share of one core, server and interns together`, `${percent.toFixed(1)} %`)
  return { processes: pids.length }
}

async function reportAwake(server: RunningServer, dataDir: string, interns: Intern[]): Promise<void> {
  await reportCosts(server, dataDir, interns.length)
  reportTimes('first word of an awake intern whose agent is not started', await measureFirstWords(interns))
}

async function measureFirstWords(interns: Intern[]): Promise<number[]> {
  const times: number[] = []
  const sampleCount = Math.min(wakes, interns.length)
  for (let at = 0; at < sampleCount; at++) {
    const intern = interns[Math.floor((at * interns.length) / sampleCount)]!
    times.push((await takeTurn(intern, { content: 'Hello' })).toFirstWord)
  }
  return times
}

function reportTimes(label: string, times: number[], maxMs?: number): void {
  report(`${label}, p50`, `${quantile(times, 0.5).toFixed(0)} ms`)
  const p99 = quantile(times, 0.99)
  report(`${label}, p99`, `${p99.toFixed(0)} ms`, maxMs ? { text: `<= ${maxMs} ms`, isMet: p99 <= maxMs } : undefined)
}

async function reportAsleep(server: RunningServer, dataDir: string, interns: Intern[]): Promise<void> {
  for (const { id } of interns)
    while ((await requestJson(server.url, 'GET', `/interns/${id}`)).asleep_since === null) await sleep(100)
  await sleep(2000)
  const { processes } = await reportCosts(server, dataDir, interns.length)
  report('asleep: remaining processes', String(processes), { text: '0', isMet: processes === 0 })
  reportTimes('first word of a sleeping intern', await measureFirstWords(interns), 1000)
}
