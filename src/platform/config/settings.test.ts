import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from './load.ts'
import { fileOnlySettings, Settings, settingNames } from './settings.ts'

test('there are four vendor fields for zero data retention, without name conflicts', () => {
  const { zdr_vendors } = Settings.parse({})
  const refused = (d: object) => Settings.safeParse({ zdr_vendors: { ...zdr_vendors, d } }).error?.issues[0]?.path
  assert.equal(refused({ author: 'mistralai', suffix: 'mistral' }), undefined)
  assert.deepEqual(refused({ author: 'openai', suffix: 'mine' }), ['zdr_vendors', 'd', 'author'])
  for (const suffix of ['openai', 'other', 'vendor_d']) {
    assert.deepEqual(refused({ author: 'mistralai', suffix }), ['zdr_vendors', 'd', 'suffix'])
  }
})

test('a list in the environment is separated by commas; invalid networks are named', () => {
  const { trusted_proxies } = Settings.parse({ trusted_proxies: '10.0.0.0/8, 127.0.0.1,fd00::/8' })
  assert.deepEqual(trusted_proxies, ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'])
  for (const wrong of ['10.0.0.0/33', 'localhost', '10.0.0.1/8/8', '::/129', '10.0.0.1 10.0.0.2'])
    assert.match(
      Settings.safeParse({ trusted_proxies: wrong }).error?.issues[0]?.message ?? '',
      /must be an IP address/,
    )
})

test('file-only settings are marked, and refused as variables', () => {
  const results = settingNames.filter((name) => Settings.shape[name].description?.includes('(file only)'))
  assert.deepEqual(results.toSorted(), [...fileOnlySettings].toSorted())
  for (const name of results) {
    const variable = name.toUpperCase()
    assert.throws(() => loadConfig({ [variable]: '{}' }), new RegExp(`${variable} is not an environment variable`))
  }
})
