import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'
import { endAtLast } from './leftovers.ts'

const rules = fileURLToPath(new URL('../../../ops/alerts.yml', import.meta.url))

export const noPrometheus = spawnSync('prometheus', ['--version']).error
  ? 'prometheus is not installed (Debian: prometheus)'
  : false

export type Prometheus = AsyncDisposable & {
  /** The alerts that fire, as `<name> <name of the target>`. */
  firing: () => Promise<string[]>
}

/** A real Prometheus with the rules that are shipped. It looks at its targets each second. */
export async function startPrometheus(targets: Record<string, string>): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-prometheus-'))
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
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
  const at = `127.0.0.1:${await freePort()}`
  const child = spawn(
    'prometheus',
    [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${at}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  endAtLast(child)
  const ended = once(child, 'exit')
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-10_000)
  })
  const ask = async (path: string): Promise<Response | undefined> => {
    const response = await fetch(`http://${at}${path}`).catch(() => undefined)
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${said}`)
    return response?.ok ? response : undefined
  }
  await until(() => ask('/-/ready'))
  const told = async <T>(path: string, otherwise: T) => {
    const response = await ask(path)
    return response ? ((await response.json()) as { data: T }).data : otherwise
  }
  // It begins some seconds later; an increase is one over what was there before.
  const seen = `/api/v1/query?query=${encodeURIComponent('count_over_time(up[1m]) > 2')}`
  await until(async () => {
    const { result } = await told(seen, { result: [] as unknown[] })
    return result.length === Object.keys(targets).length
  })
  return {
    async firing() {
      const { alerts } = await told('/api/v1/alerts', { alerts: [] as { state: string; labels: Labels }[] })
      return alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => `${labels.alertname} ${labels.server ?? labels.instance}`)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Labels = { alertname: string; server?: string; instance: string }
