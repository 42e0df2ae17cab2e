import { join } from 'node:path'
import { ask, type Door, doorOf, open } from './completion-load.ts'
import { report } from './figures.ts'
import { processorMicroseconds, type Running } from './servers.ts'

const rounds = 15
const load = { connections: 16, times: 3_000 }

type Start = (environment: Record<string, string>) => Promise<Running>

/**
 * The processor time of a completion in a service with the console and in one without, in turn: unlike speed, it does not
 * depend on what else the machine does.
 */
export async function measurePlane(startServer: Start, folder: string, apiKey: string): Promise<void> {
  const servers: Running[] = []
  for (const CONSOLE of ['false', 'true'])
    servers.push(await startServer({ CONSOLE, DATA_DIR: join(folder, `plane-${CONSOLE}`) }))
  await (await fetch(new URL('/requests', servers[1]!.url))).text()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:words=2' }] }
  const spent: number[][] = [[], []]
  for (let round = -3; round < rounds; round++) {
    for (const [at, { url, pid }] of servers.entries()) {
      const before = processorMicroseconds(pid)
      await run(doorOf(url, apiKey, body))
      if (round >= 0) spent[at]!.push((processorMicroseconds(pid) - before) / load.times)
    }
  }
  await Promise.all(servers.map((server) => server.stop()))
  // What others do meanwhile only adds to it: the round that was disturbed least tells.
  const [without, withIt] = spent.map((each) => Math.min(...each)) as [number, number]
  const ratio = withIt / without
  const figures = `${without.toFixed(0)} µs and ${withIt.toFixed(0)} µs`
  report(`a completion without the console and with it, least of ${rounds}`, figures)
  report('processor time with it over without', ratio.toFixed(3), { text: '<= 1.05', met: ratio <= 1.05 })
}

async function run(door: Door): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(door)))
  let left = load.times
  await Promise.all(
    sockets.map(async (socket) => {
      while (left-- > 0) await ask(socket, door)
    }),
  )
  for (const socket of sockets) socket.destroy()
}
