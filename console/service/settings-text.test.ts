import assert from 'node:assert/strict'
import { test } from 'node:test'
import { environmentLines, formatSource, formatValue, searchSettings } from './settings-text.ts'

test('environmentLines has a line per variable, then the start', () =>
  assert.equal(
    environmentLines({ missing: ['AZURE_KEY', 'AZURE_NAME'] }),
    'export AZURE_KEY=…\nexport AZURE_NAME=…\nnpm start',
  ))

test('formatValue hides secrets', () => {
  const format = (value: unknown, is_set = true, is_secret = false) => formatValue({ value, is_set, is_secret })
  assert.deepEqual(
    [
      format('info'),
      format(8080),
      format({ a: 1 }),
      format(null, true, true),
      format(null, false, true),
      format(null, false),
    ],
    ['info', '8080', '{"a":1}', 'set (hidden)', 'not set', 'not set'],
  )
  assert.equal(formatSource({ source: 'default', source_name: null }), 'default')
  assert.equal(formatSource({ source: 'file', source_name: '/etc/x.yaml' }), '/etc/x.yaml')
})

test('searchSettings finds words of name and description', () => {
  const settings = [
    { name: 'port', meaning: 'The port to listen on.' },
    { name: 'metrics_port', meaning: 'Serves metrics.' },
  ]
  const names = (typed: string) => searchSettings(settings, typed).map(({ name }) => name)
  assert.deepEqual(
    [names(''), names('PORT serves'), names('nothing')],
    [['port', 'metrics_port'], ['metrics_port'], []],
  )
})
