import assert from 'node:assert/strict'
import { test } from 'node:test'
import { environmentLines, found, sourceInWords, valueInWords } from './settings-text.ts'

test('what is missing is pasted a line each, and then the start', () =>
  assert.equal(
    environmentLines({ missing: ['AZURE_KEY', 'AZURE_NAME'] }),
    'export AZURE_KEY=…\nexport AZURE_NAME=…\nnpm start',
  ))

test('a value is told as the file has it, a secret never', () => {
  const told = (value: unknown, is_set = true, is_secret = false) => valueInWords({ value, is_set, is_secret })
  assert.deepEqual(
    [told('info'), told(8080), told({ a: 1 }), told(null, true, true), told(null, false, true), told(null, false)],
    ['info', '8080', '{"a":1}', 'set (hidden)', 'not set', 'not set'],
  )
  assert.equal(sourceInWords({ source: 'default', source_name: null }), 'default')
  assert.equal(sourceInWords({ source: 'file', source_name: '/etc/x.yaml' }), '/etc/x.yaml')
})

test('settings are found by words of their name and meaning', () => {
  const settings = [
    { name: 'port', meaning: 'The port to listen on.' },
    { name: 'metrics_port', meaning: 'Serves metrics.' },
  ]
  const names = (typed: string) => found(settings, typed).map(({ name }) => name)
  assert.deepEqual(
    [names(''), names('PORT serves'), names('nothing')],
    [['port', 'metrics_port'], ['metrics_port'], []],
  )
})
