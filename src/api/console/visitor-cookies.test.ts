import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVisitorSettings } from './visitor-cookies.ts'

test('the window of a browser is read from its cookie, and a malformed one is ignored', () => {
  const windowIn = (value: string) => readVisitorSettings(`a=b; window=${value}; theme=dark`).window
  assert.deepEqual(windowIn('1280x800@Europe/Berlin'), { width: 1280, height: 800, timeZone: 'Europe/Berlin' })
  assert.deepEqual(windowIn('390x844@Etc/GMT+5'), { width: 390, height: 844, timeZone: 'Etc/GMT+5' })
  for (const value of [
    '',
    '1280x800',
    '1280x800@',
    'x@UTC',
    '-1x5@UTC',
    '999999x1@UTC',
    '1x1@Nowhere/Else',
    '1x1@UTC"',
  ])
    assert.equal(windowIn(value), undefined, value)
  assert.equal(readVisitorSettings('my_window=1x1@UTC').window, undefined)
})
