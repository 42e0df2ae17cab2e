import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv.ts'

test('a line has comma-separated values, quoted where needed', () => {
  assert.equal(csvLine(['a', 1.5, true, null, undefined, '']), 'a,1.5,true,,,\r\n')
  assert.equal(csvLine(['a,b', 'say "hi"', 'two\r\nlines']), '"a,b","say ""hi""","two\r\nlines"\r\n')
})

test('no text is a formula to a spreadsheet, and numbers stay numbers', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '=HYPERLINK("http://x","y")'])
    assert.match(csvLine([text]), /^"?'/, text)
  assert.equal(csvLine([-1.5]), '-1.5\r\n')
})
