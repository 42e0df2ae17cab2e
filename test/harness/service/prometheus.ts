import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'
import { killAfterTests } from './leftovers.ts'

const rules = fileURLToPath(new URL('../../../ops/alerts.yml', import.meta.url))

export const noPrometheus = spawnSync('prometheus', ['--version']).error
  ? 'prometheus is not installed (Debian: prometheus)'
  : false

export type Prometheus = AsyncDisposable & {
  /** The alerts that fire, as `<name> <name of the target>`. */
  firing: () => Promise<string[]>
  /** The alerts that have fired at any time since the start, in the same form. */
  fired: () => Promise<string[]>
}

/** Starts a real Prometheus with the rules of `ops/`. @param interval the time between two scrapes, and two evaluations. */
export async function startPrometheus(targets: Record<string, string>, interval = '1s'): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-prometheus-'))
  const config = {
    global: { scrape_interval: interval, evaluation_interval: interval },
    rule_files: [rules],
    scrape_configs: [
      {
        job_name: 'signalbox',
        static_configs: Object.entries(targets).map(([server, url]) => ({
          targets: [new URL(url).host],
          labels: { server },
        })),
      },
    ],
  }
  // JSON is YAML, too.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    'prometheus',
    [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  killAfterTests(child)
  const ended = once(child, 'exit')
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-10_000)
  })
  const get = async (path: string): Promise<Response | undefined> => {
    const response = await fetch(`http://${address}${path}`).catch(() => undefined)
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${errors}`)
    return response?.ok ? response : undefined
  }
  await until(() => get('/-/ready'))
  const read = async <T>(path: string, fallback: T) => {
    const response = await get(path)
    return response ? ((await response.json()) as { data: T }).data : fallback
  }
  // The first scrape is some seconds later, and `increase` needs a sample from before the increase.
  const scraped = `/api/v1/query?query=${encodeURIComponent('count_over_time(up[1m]) > 2')}`
  await until(async () => {
    const { result } = await read(scraped, { result: [] as unknown[] })
    return result.length === Object.keys(targets).length
  })
  return {
    async firing() {
      const { alerts } = await read('/api/v1/alerts', { alerts: [] as { state: string; labels: Labels }[] })
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => nameOf(labels))
    },
    async fired() {
      const query = encodeURIComponent('last_over_time(ALERTS{alertstate="firing"}[1d])')
      const { result } = await read(`/api/v1/query?query=${query}`, { result: [] as { metric: Labels }[] })
      return result.map(({ metric }) => nameOf(metric))
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Labels = { alertname: string; server?: string; instance: string }

const nameOf = ({ alertname, server, instance }: Labels) => `${alertname} ${server ?? instance}`
