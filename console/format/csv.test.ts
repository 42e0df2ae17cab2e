import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvText } from './csv.ts'

test('text is quoted, formulas are text, and small amounts have no exponent', () => {
  const lines = [
    ['name', 'usd'] as const,
    ['a "b", c', 0.00000041] as const,
    ['=SUM(A1)', -1] as const,
    [null, 2] as const,
  ]
  assert.equal(csvText(lines), 'name,usd\r\n"a ""b"", c",0.00000041\r\n\'=SUM(A1),-1\r\n,2\r\n')
})
