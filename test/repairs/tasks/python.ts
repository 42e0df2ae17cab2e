import { brokenJson, staleLines, untilMessage, wrongText } from '../slips.ts'
import { edit, read, run, type Task, text } from '../task.ts'

const check = 'python3 -m unittest -q'
const readme = (about: string) => `# ${about}\n\nRun \`python3 -m unittest\` after each change.\n`
const spec = (imports: string, body: string) =>
  `import unittest\n${imports}\n\nclass Checks(unittest.TestCase):\n    def test(self):\n        ${body}\n`

const tabs: Task = {
  name: 'indentation',
  language: 'Python',
  prompt: 'The mean of an empty list fails. Repair it.',
  files: {
    'README.md': readme('Mean'),
    'mean.py':
      'def mean(values):\n\ttotal = 0\n\tfor value in values:\n\t\ttotal += value\n\treturn total / len(values)\n',
  },
  tests: { 'test_mean.py': spec('from mean import mean', 'self.assertEqual([mean([]), mean([1, 3])], [0, 2])') },
  check,
  look: ['mean.py'],
  repair: edit('mean.py', '\treturn total / len(values)', '\treturn total / len(values) if values else 0'),
  slips: [
    staleLines(
      'a patch with spaces where the file has tabs',
      [
        ...['*** Update File: mean.py', '@@', '     for value in values:', '         total += value'],
        ...[
          '-    return total / len(values)',
          '+    if not values:',
          '+        return 0',
          '+    return total / len(values)',
        ],
      ],
      ['    for value in values:', '        total += value', '    return total / len(values)'],
    ),
  ],
}

const dates: Task = {
  name: 'leap years',
  language: 'Python',
  prompt: 'The year 1900 is taken for a leap year. Repair it.',
  files: {
    'README.md': readme('Calendar'),
    'calendar_days.py': text`
      def is_leap(year):
          return year % 4 == 0


      def days(year):
          return 366 if is_leap(year) else 365
    `,
  },
  tests: {
    'test_days.py': spec('from calendar_days import days', 'self.assertEqual([days(1900), days(2000)], [365, 366])'),
  },
  check,
  look: ['calendar_days.py'],
  repair: edit('calendar_days.py', 'year % 4 == 0', 'year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)'),
  slips: [
    wrongText(
      'the line numbers of read_file in the text to edit',
      'calendar_days.py',
      '2\t    return year % 4 == 0',
      (line) => `${line} and (year % 100 != 0 or year % 400 == 0)`,
    ),
  ],
}

const stock: Task = {
  name: 'unread',
  language: 'Python',
  prompt: 'More can be taken from the stock than is there. Repair it.',
  files: {
    'README.md': readme('Stock'),
    'shop/stock.py': text`
      class Stock:
          def __init__(self):
              self.items = {}

          def put(self, item, count):
              self.items[item] = self.items.get(item, 0) + count

          def take(self, item, count):
              self.items[item] = self.items.get(item, 0) - count
    `,
    'shop/__init__.py': '',
  },
  tests: {
    'test_stock.py': spec(
      'from shop.stock import Stock',
      'stock = Stock()\n        stock.put("a", 1)\n        stock.take("a", 2)\n        self.assertEqual(stock.items, {"a": 0})',
    ),
  },
  check,
  look: ['shop/stock.py'],
  repair: edit('shop/stock.py', 'self.items.get(item, 0) - count', 'max(0, self.items.get(item, 0) - count)'),
  slips: [
    wrongText(
      'an edit of a file that he has not read',
      'shop/stock.py',
      '        self.items[item] = self.items[item] - count',
      (line) => line.replace(/= (.*)$/, '= max(0, $1)'),
    ),
  ],
}

/** A log of 20 MB in which the line with the cause is the last but a thousand. */
const bigLog = () => {
  const line = (at: number) => `2031-05-01 worker ${at % 7}: record ${at} was stored, all is well with it\n`
  const lines = Array.from({ length: 320_000 }, (_, at) =>
    at === 319_000 ? 'FATAL: "12,5" is not a number\n' : line(at),
  )
  return Buffer.from(lines.join(''))
}

const log: Task = {
  name: 'a file of 20 MB',
  language: 'Python',
  prompt: 'Some records cannot be read; app.log says which. Repair it.',
  files: {
    'README.md': readme('Records'),
    'app.log': bigLog,
    'records.py': 'def number(text):\n    return float(text)\n',
  },
  tests: {
    'test_records.py': spec('from records import number', 'self.assertEqual([number("12,5"), number("3")], [12.5, 3])'),
  },
  check,
  look: ['records.py'],
  repair: edit('records.py', 'float(text)', "float(text.replace(',', '.'))"),
  slips: [
    untilMessage('a file of 20 MB, read whole', read('app.log'), /\bsearch\b|\btail\b/, [
      { name: 'search', input: { pattern: 'FATAL', path: 'app.log' } },
    ]),
    {
      name: 'a search far into a file of 20 MB',
      call: { name: 'search', input: { pattern: 'FATAL', path: 'app.log' } },
      succeeded: (message) => message.includes('12,5'),
      next: (message) =>
        /not (searched|looked)|shell|grep/.test(message) ? [run('grep -n FATAL app.log')] : undefined,
    },
    untilMessage('a place behind what was read', read('app.log', { offset: 319_000 }), /\bsed -n\b/, [
      run(`sed -n '319000,319003p' app.log`),
    ]),
  ],
}

const flood: Task = {
  name: '50 MB of output',
  language: 'Python',
  prompt: 'The self-test fails somewhere; its output is long. Repair it.',
  files: {
    'README.md': readme('Squares'),
    'squares.py': text`
      def square(n):
          return n * n if n != 7001 else 0
    `,
    'selftest.py': text`
      from squares import square

      for n in range(14000):
          print('x' * 3500)
          if square(n) != n * n:
              print('WRONG', n, square(n))
    `,
  },
  tests: { 'test_squares.py': spec('from squares import square', 'self.assertEqual(square(7001), 7001 * 7001)') },
  check,
  look: ['squares.py'],
  repair: edit('squares.py', ' if n != 7001 else 0', ''),
  slips: [
    untilMessage('50 MB of output', run('python3 selftest.py'), /\bgrep\b/, [run('python3 selftest.py | grep WRONG')]),
    brokenJson(
      'JSON with a bare line break in it',
      {
        name: 'edit_file',
        raw: '{"path": "squares.py", "old_text": "    return n * n if n != 7001 else 0\n", "new_text": "    return n * n\n"}',
      },
      /line break|position \d+|column/i,
      edit('squares.py', '    return n * n if n != 7001 else 0\n', '    return n * n\n'),
      true,
    ),
  ],
}

export const python = [tabs, dates, stock, log, flood]
