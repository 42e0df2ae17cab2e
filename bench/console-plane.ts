import { join } from 'node:path'
import { createCompletionTarget, sendRequests } from './completion-load.ts'
import { report } from './report.ts'
import { processorMicroseconds, type RunningServer } from './servers.ts'

const rounds = 9
const warmUps = 4
const load = { connections: 16, times: 10_000 }

type Start = (environment: Record<string, string>) => Promise<RunningServer>

/** Values of CONSOLE: two of each, in an order that favours neither. The difference of two equal services shows the measurement error. */
const consoleSettings = ['false', 'true', 'true', 'false']

/**
 * Compares the processor time of a completion in services with and without the console. Unlike the speed, it does not depend
 * on other load of the machine.
 */
export async function measureCompletionTime(startServer: Start, folder: string, apiKey: string): Promise<void> {
  const servers: RunningServer[] = []
  for (const [at, CONSOLE] of consoleSettings.entries())
    servers.push(await startServer({ CONSOLE, DATA_DIR: join(folder, `plane-${at}`) }))
  for (const [at, { url }] of servers.entries())
    if (consoleSettings[at] === 'true') await (await fetch(new URL('/requests', url))).text()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:words=2' }] }
  const microseconds: number[][] = servers.map(() => [])
  for (let round = -warmUps; round < rounds; round++) {
    for (const [at, { url, pid }] of servers.entries()) {
      const before = processorMicroseconds(pid)
      await sendRequests(createCompletionTarget(url, apiKey, body), load)
      if (round >= 0) microseconds[at]!.push((processorMicroseconds(pid) - before) / load.times)
    }
  }
  await Promise.all(servers.map((server) => server.stop()))
  // Other load only adds time, so the fastest round counts.
  const fastest = microseconds.map((values) => Math.min(...values))
  const fastestWith = (setting: string) => fastest.filter((_, at) => consoleSettings[at] === setting)
  const without = fastestWith('false')
  const withConsole = fastestWith('true')
  const sum = (all: number[]) => all.reduce((total, value) => total + value, 0)
  const ratio = sum(withConsole) / sum(without)
  const errorFactor = Math.max(...[without, withConsole].map((values) => Math.max(...values) / Math.min(...values)))
  const figures = [without, withConsole].map((values) => values.map((value) => value.toFixed(0)).join(' and '))
  report(`a completion without and with the console, fastest of ${rounds}`, `${figures.join('; ')} µs`)
  report('two services of one kind differ by', `${errorFactor.toFixed(3)} times`)
  // A smaller effect than the measurement error cannot be detected.
  const maxRatio = Math.max(1.05, errorFactor)
  report('processor time with the console / without', ratio.toFixed(3), {
    text: `<= ${maxRatio.toFixed(3)}`,
    isMet: ratio <= maxRatio,
  })
}
