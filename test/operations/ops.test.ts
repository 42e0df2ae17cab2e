import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startTestService } from '../harness/service/service.ts'

const folder = fileURLToPath(new URL('../../ops/', import.meta.url))
const read = (name: string) => readFileSync(folder + name, 'utf8')
const skip = spawnSync('promtool', ['--version']).error ? 'promtool is not installed (Debian: prometheus)' : false

for (const args of [
  ['check', 'rules', 'alerts.yml'],
  ['check', 'config', 'prometheus.yml'],
  ['test', 'rules', 'alerts.test.yml'],
])
  test(`promtool ${args.join(' ')}`, { skip }, () => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  })

test('every alert has a test that it fires within a minute', () => {
  const alerts = [...read('alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  const tested = [...read('alerts.test.yml').matchAll(/- name: (\w+)/g)].map(([, name]) => name)
  assert.ok(alerts.length > 10)
  assert.deepEqual(tested.sort(), alerts.sort())
})

const expressions = () => [
  ...[...read('alerts.yml').matchAll(/expr: (?:\|\n((?: {10}.*\n)+)|(.*))/g)].map(([, many, one]) => many ?? one!),
  ...[...read('dashboard.json').matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(
    ([, text]) => JSON.parse(text!) as string,
  ),
]

/** The metrics in an expression, each with its exact label matchers. */
const named = () =>
  expressions().flatMap((expression) =>
    [...expression.matchAll(/\b((?:signalbox|nodejs|process)_\w+)\b(?:\{([^}]*)\})?/g)].map(([, name, selector]) => ({
      name: name!,
      labels: [...(selector ?? '').matchAll(/(\w+)="([^"]*)"/g)].filter(([, label]) => label !== 'job'),
    })),
  )

test('every metric of alerts and dashboard exists on a new server with these labels', async () => {
  await using service = await startTestService()
  const { text } = await service.manage('GET', '/metrics')
  const missing = named().flatMap(({ name, labels }) => {
    const plain = name.replace(/_(bucket|sum|count)$/, '')
    const exists = [name, plain].some((one) => new RegExp(`^# TYPE ${one} `, 'm').test(text))
    if (!exists) return [name]
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`))
    const pairs = labels.map(([pair]) => pair)
    const isExported = lines.length === 0 || lines.some((line) => pairs.every((pair) => line.includes(pair!)))
    return isExported ? [] : [`${name} with ${pairs}`]
  })
  assert.ok(named().length > 40, `${named().length} are named`)
  assert.deepEqual(missing, [])
})
