import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCsv } from './read-csv.ts'

test('cells are read by column name, with quotes, line breaks and missing cells', () => {
  const { columns, rows } = readCsv('a,b\r\n"1,\n""2""",x\r\n\r\n3\r\n')
  assert.deepEqual(columns, ['a', 'b'])
  assert.deepEqual(rows, [
    { a: '1,\n"2"', b: 'x' },
    { a: '3', b: '' },
  ])
})

test('the error for invalid CSV names its line, counting line breaks in cells', () => {
  assert.throws(() => readCsv('a,b\n\n"1\n2",3\nx,"4'), new SyntaxError('line 5 is not CSV'))
})
