/**
 * Measures the cost of an intern on another host: the same turns through the server of its host, over the socket, and
 * through a server without interns, over TCP with TLS. Needs a Postgres: TEST_DATABASE_URL.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newTestStore } from '#test/harness/database/databases.ts'
import { runConcurrentTurns, type StartTurn } from './concurrent-turns.ts'
import { createIntern } from './intern-api.ts'
import { type Intern, quantile, takeTurn } from './intern-load.ts'
import { exitWithVerdict, median, report } from './report.ts'
import { apiKey, npmStartArguments, prepareFolder, start } from './servers.ts'

const pairs = Number(process.env.PAIRS ?? 5)
const rates = (process.env.RATES ?? '2500 5000').split(' ').map(Number)
const firstWords = Number(process.env.FIRST_WORDS ?? 200)
const script = fileURLToPath(new URL('../bin/scripted-agent.ts', import.meta.url))
if (!process.env.TEST_DATABASE_URL)
  throw new Error('Set TEST_DATABASE_URL to a Postgres where databases can be created.')
const database = await newTestStore('postgres')
const fixture = prepareFolder()
const shared = {
  PORT: '0',
  HOST: '127.0.0.1',
  DATABASE_URL: database.settings.database_url!,
  ENCRYPTION_KEY_FILE: join(fixture.folder, 'near', 'encryption.key'),
  BOOTSTRAP_API_KEY: apiKey,
  LOG_LEVEL: 'error',
  DEMO_INTERN: 'false',
  CONSOLE: 'false',
  ALLOW_CUSTOM_AGENTS: 'true',
  INTERN_USERS_FROM: '0',
  INTERN_ADDRESS: '127.0.0.1',
  TURNS_PER_MINUTE_USER: '1000000',
  TURNS_PER_MINUTE_ORGANIZATION: '1000000',
}
// The first server creates the key in its data folder.
const { ENCRYPTION_KEY_FILE: _created, ...withoutKeyFile } = shared
const near = await start(npmStartArguments(), {
  ...withoutKeyFile,
  DATA_DIR: join(fixture.folder, 'near'),
  INTERN_HOST: 'near',
})
const far = await start(npmStartArguments(), { ...shared, DATA_DIR: join(fixture.folder, 'far'), INTERNS: 'off' })
try {
  const interns: string[] = []
  const agent = { command: process.execPath, args: [script, 'load'] }
  for (let number = 1; number <= 20; number++) interns.push((await createIntern(near.url, `bench-${number}`, agent)).id)
  await benchFirstWords(interns[0]!)
  for (const rate of rates) await benchRate(interns, rate)
} finally {
  await far.stop()
  await near.stop()
  fixture.remove()
  await database.remove()
}
exitWithVerdict()

function internAt({ url }: { url: string }, id: string): Intern {
  return { url: new URL(url), key: apiKey, id }
}

/** Alternates between both servers, so that other load of the machine affects both. */
async function benchFirstWords(id: string): Promise<void> {
  const times = { near: [] as number[], far: [] as number[] }
  const { sessionId } = await takeTurn(internAt(near, id), { content: 'say hi' })
  for (let turn = 0; turn < firstWords; turn++)
    for (const [name, server] of [
      ['near', near],
      ['far', far],
    ] as const)
      times[name].push((await takeTurn(internAt(server, id), { content: 'say hi', sessionId: sessionId! })).toFirstWord)
  for (const part of [0.5, 0.99]) {
    const socket = quantile(times.near, part)
    const tls = quantile(times.far, part)
    const figure = `${(tls - socket).toFixed(1)} ms (${socket.toFixed(1)}, ${tls.toFixed(1)})`
    report(`first word, added by TLS, p${part * 100}`, figure)
  }
}

async function benchRate(interns: string[], rate: number): Promise<void> {
  const round = async (server: { url: string }) => {
    const startTurn: StartTurn = async (stream, content, onWords, signal) =>
      (await takeTurn(internAt(server, interns[stream % interns.length]!), { content }, { onWords, signal })).words
    return runConcurrentTurns(rate, 5, startTurn)
  }
  await round(near)
  const added = { p50: [] as number[], p99: [] as number[] }
  const socketP99: number[] = []
  for (let pair = 0; pair < pairs; pair++) {
    // The order alternates, because the first run affects the second.
    const order = pair % 2 ? [far, near] : [near, far]
    const delays = new Map<unknown, number[]>()
    for (const server of order) delays.set(server, await round(server))
    const delayOf = (server: unknown, part: number) => quantile(delays.get(server)!, part)
    added.p50.push(delayOf(far, 0.5) - delayOf(near, 0.5))
    added.p99.push(delayOf(far, 0.99) - delayOf(near, 0.99))
    socketP99.push(delayOf(near, 0.99))
  }
  const eachMs = added.p99.map((ms) => ms.toFixed(1)).join(' ')
  report(`${rate} chunks/s over the socket, agent to client, p99`, `${median(socketP99).toFixed(1)} ms`)
  report(`${rate} chunks/s, added by TLS, p50`, `${median(added.p50).toFixed(1)} ms`)
  const ms = median(added.p99)
  report(`${rate} chunks/s, added by TLS, p99`, `${ms.toFixed(1)} ms (${eachMs})`, { text: '<= 2 ms', isMet: ms <= 2 })
}
