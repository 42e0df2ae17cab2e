import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newEmptyTestStore } from '../../harness/database/databases.ts'
import { sendMixedLoad } from '../../harness/service/load/mixed-load.ts'
import { startPriced } from '../../harness/service/load/priced-servers.ts'
import { until } from '../../harness/until.ts'

const alerts = fileURLToPath(new URL('../../../ops/alerts.yml', import.meta.url))
const skip = spawnSync('promtool', ['--version']).error
  ? 'promtool is not installed (Debian: prometheus)'
  : process.env.TEST_DATABASE_URL
    ? false
    : 'TEST_DATABASE_URL is not set'

/** Ten minutes of scrapes at intervals of 10 s; they are taken faster than that. */
const scrapes = 61
const betweenMs = 150

type Series = Map<string, (string | undefined)[]>

/** Adds one page of metrics to the series, as Prometheus would store it. */
function record(series: Series, page: string, instance: string, at: number): void {
  for (const line of page.split('\n')) {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined || value === undefined || !/^(signalbox|nodejs_eventloop)/.test(name)) continue
    const full = `${name}{job="signalbox",instance="${instance}"${labels && `,${labels}`}}`
    const values = series.get(full) ?? Array.from<string | undefined>({ length: scrapes })
    values[at] = /nan/i.test(value) ? 'NaN' : value
    series.set(full, values)
  }
}

/** Runs the shipped rules over the series. @returns the alerts that fired at any time. */
function firedIn(series: Series): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-alerts-'))
  copyFileSync(alerts, join(folder, 'alerts.yml'))
  const inputs = [...series].map(([name, values]) => ({
    series: name,
    values: values.map((value) => value ?? '_').join(' '),
  }))
  const expr = 'count by (alertname, instance) (last_over_time(ALERTS{alertstate="firing"}[11m]))'
  const tests = [
    {
      interval: '10s',
      input_series: inputs,
      promql_expr_test: [{ expr, eval_time: '10m', exp_samples: [] }],
    },
  ]
  writeFileSync(
    join(folder, 'test.yml'),
    JSON.stringify({ rule_files: ['alerts.yml'], evaluation_interval: '10s', tests }),
  )
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'test.yml'], { cwd: folder })
  rmSync(folder, { recursive: true, force: true })
  const text = `${stdout}${stderr}`
  if (status === 0) return []
  const fired = [...text.matchAll(/alertname="(\w+)", instance="(\w+)"/g)].map(([, name, at]) => `${name} ${at}`)
  return fired.length > 0 ? fired : [text]
}

for (const isLoaded of [false, true])
  test(`no alert fires in ten minutes of a healthy ${isLoaded ? 'loaded' : 'idle'} service`, {
    skip,
  }, async () => {
    await using stack = new AsyncDisposableStack()
    const pages: [string, string][] = []
    const urls: string[] = []
    for (const kind of ['sqlite', 'postgres'] as const) {
      const testStore = await newEmptyTestStore(kind)
      stack.defer(testStore.remove)
      const [server] = await startPriced(testStore, 1, undefined, { METRICS_PORT: '0', LOG_FORMAT: 'json' })
      stack.use(server!)
      urls.push(await server!.url)
      pages.push([kind, await until(() => /"url":"(http:\S+?\/metrics)"/.exec(server!.err())?.[1])])
    }
    let isOver = false
    const loading = isLoaded ? urls.flatMap((url) => [1, 2, 3, 4].map(() => sendMixedLoad(url, () => isOver))) : []
    const series: Series = new Map()
    for (let at = 0; at < scrapes; at++) {
      for (const [instance, page] of pages) record(series, await (await fetch(page)).text(), instance, at)
      await sleep(betweenMs)
    }
    isOver = true
    await Promise.all(loading)
    assert.ok(series.size > 200, `only ${series.size} series`)
    assert.deepEqual(firedIn(series), [])
  })
