import { join } from 'node:path'
import { ask, type Door, doorOf, open } from './completion-load.ts'
import { report } from './report.ts'
import { processorMicroseconds, type Running } from './servers.ts'

const rounds = 9
const warmUps = 4
const load = { connections: 16, times: 10_000 }

type Start = (environment: Record<string, string>) => Promise<Running>

/** Two of each kind, so that neither has the better place in a round, and what two of one kind differ by is seen. */
const kinds = ['false', 'true', 'true', 'false']

/**
 * The processor time of a completion in services with the console and in such without, in turn: unlike speed, it does not
 * depend on what else the machine does.
 */
export async function measurePlane(startServer: Start, folder: string, apiKey: string): Promise<void> {
  const servers: Running[] = []
  for (const [at, CONSOLE] of kinds.entries())
    servers.push(await startServer({ CONSOLE, DATA_DIR: join(folder, `plane-${at}`) }))
  for (const [at, { url }] of servers.entries())
    if (kinds[at] === 'true') await (await fetch(new URL('/requests', url))).text()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:words=2' }] }
  const spent: number[][] = servers.map(() => [])
  for (let round = -warmUps; round < rounds; round++) {
    for (const [at, { url, pid }] of servers.entries()) {
      const before = processorMicroseconds(pid)
      await run(doorOf(url, apiKey, body))
      if (round >= 0) spent[at]!.push((processorMicroseconds(pid) - before) / load.times)
    }
  }
  await Promise.all(servers.map((server) => server.stop()))
  // Other load only adds time, so the fastest round counts.
  const least = spent.map((each) => Math.min(...each))
  const of = (kind: string) => least.filter((_, at) => kinds[at] === kind)
  const [without, withIt] = [of('false'), of('true')]
  const sum = (all: number[]) => all.reduce((total, one) => total + one, 0)
  const ratio = sum(withIt) / sum(without)
  const unsure = Math.max(...[without, withIt].map((each) => Math.max(...each) / Math.min(...each)))
  const figures = [without, withIt].map((each) => each.map((one) => one.toFixed(0)).join(' and '))
  report(`a completion without the console, and with it, least of ${rounds}`, `${figures.join('; ')} µs`)
  report('two services of one kind differ by', `${unsure.toFixed(3)} times`)
  // An effect that is smaller than that cannot be seen.
  const most = Math.max(1.05, unsure)
  report('processor time with it over without', ratio.toFixed(3), { text: `<= ${most.toFixed(3)}`, met: ratio <= most })
}

async function run(door: Door): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(door)))
  let remaining = load.times
  await Promise.all(
    sockets.map(async (socket) => {
      while (remaining-- > 0) await ask(socket, door)
    }),
  )
  for (const socket of sockets) socket.destroy()
}
