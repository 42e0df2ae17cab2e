import { neverEnds, oddPatch, staleLines, untilMessage, wrongPath } from '../slips.ts'
import { edit, patching, run, type Task, text } from '../task.ts'

const check = 'node --test'
const readme = (about: string) => `# ${about}\n\nRun \`node --test\` after each change.\n`
const manifest = '{ "type": "module" }\n'
const spec = (imports: string, body: string) =>
  `import { test } from 'node:test'\nimport assert from 'node:assert/strict'\n${imports}\n${body}\n`

const cart: Task = {
  name: 'discount',
  language: 'JavaScript',
  prompt: 'The total of a cart with a voucher is too high. Repair it.',
  files: {
    'README.md': readme('Cart'),
    'package.json': manifest,
    'lib/cart.js': text`
      import { off } from './voucher.js'

      export function total(items, voucher) {
        const sum = items.reduce((all, { cents, count }) => all + cents * count, 0)
        return sum + off(sum, voucher)
      }
    `,
    'lib/voucher.js': 'export const off = (sum, voucher) => Math.round((sum * (voucher?.percent ?? 0)) / 10)\n',
  },
  tests: {
    'test/cart.test.js': spec(
      `import { total } from '../lib/cart.js'`,
      `test('ten per cent', () => assert.equal(total([{ cents: 500, count: 2 }], { percent: 10 }), 900))`,
    ),
  },
  check,
  look: ['lib/cart.js', 'lib/voucher.js'],
  repair: patching(
    ...['*** Update File: lib/cart.js', '@@', '-  return sum + off(sum, voucher)', '+  return sum - off(sum, voucher)'],
    ...['*** Update File: lib/voucher.js', '@@'],
    '-export const off = (sum, voucher) => Math.round((sum * (voucher?.percent ?? 0)) / 10)',
    '+export const off = (sum, voucher) => Math.round((sum * (voucher?.percent ?? 0)) / 100)',
  ),
  slips: [
    wrongPath('a path in another folder', 'src/cart.js'),
    staleLines(
      'a patch whose lines are other in the file',
      [
        ...['*** Update File: lib/cart.js', '@@', ' export function total(list, voucher) {'],
        '   const sum = list.reduce((all, { cents, count }) => all + cents * count, 0)',
        ...['-  return sum + off(sum, voucher)', '+  return sum - off(sum, voucher)'],
        ...['*** Update File: lib/voucher.js', '@@'],
        '-export const off = (sum, voucher) => Math.round((sum * voucher.percent) / 10)',
        '+export const off = (sum, voucher) => Math.round((sum * (voucher?.percent ?? 0)) / 100)',
      ],
      [
        'export function total(list, voucher) {',
        '  const sum = list.reduce((all, { cents, count }) => all + cents * count, 0)',
        'export const off = (sum, voucher) => Math.round((sum * voucher.percent) / 10)',
      ],
    ),
  ],
}

const settings: Task = {
  name: 'defaults',
  language: 'JavaScript',
  prompt: 'Settings of the environment do not go before the defaults. Repair it.',
  files: {
    'README.md': readme('Settings'),
    'package.json': manifest,
    'src/Settings.js': text`
      const defaults = { port: '8080', host: 'localhost' }

      // The environment goes before the defaults.
      export function settings(env) {
        const found = {}
        for (const name of Object.keys(defaults)) {
          found[name] = defaults[name] ?? env[name.toUpperCase()]
        }
        return found
      }
    `,
  },
  tests: {
    'settings.test.js': spec(
      `import { settings } from './src/Settings.js'`,
      `test('the environment goes first', () => assert.equal(settings({ PORT: '9' }).port, '9'))`,
    ),
  },
  check,
  look: ['src/Settings.js'],
  repair: patching(
    ...['*** Update File: src/Settings.js', '@@', '-    found[name] = defaults[name] ?? env[name.toUpperCase()]'],
    '+    found[name] = env[name.toUpperCase()] ?? defaults[name]',
  ),
  slips: [
    wrongPath('a name in other letters', 'src/settings.js'),
    oddPatch(
      'a unified diff with wrong line numbers',
      text`
        --- a/src/Settings.js
        +++ b/src/Settings.js
        @@ -21,4 +21,4 @@ export function settings(env) {
           for (const name of Object.keys(defaults)) {
        -    found[name] = defaults[name] ?? env[name.toUpperCase()]
        +    found[name] = env[name.toUpperCase()] ?? defaults[name]
           }
      `,
      /\*\*\* Update File/,
      patching(
        ...['*** Update File: src/Settings.js', '@@', '-    found[name] = defaults[name] ?? env[name.toUpperCase()]'],
        '+    found[name] = env[name.toUpperCase()] ?? defaults[name]',
      ),
    ),
  ],
}

const queue: Task = {
  name: 'order',
  language: 'JavaScript',
  prompt: 'Jobs of the queue do not run in their order. Repair it.',
  files: {
    'README.md': readme('Queue'),
    'package.json': manifest,
    'queue/queue.js': text`
      export async function runAll(jobs) {
        const results = []
        await Promise.all(jobs.map(async (job) => results.push(await job())))
        return results
      }
    `,
    'server.js': `import { createServer } from 'node:http'\ncreateServer().listen(0, () => console.log('ready'))\n`,
  },
  tests: {
    'queue/queue.test.js': spec(
      `import { runAll } from './queue.js'\nconst slow = async () => { for (let n = 0; n < 9; n++) await n; return 1 }`,
      `test('in order', async () => assert.deepEqual(await runAll([slow, async () => 2]), [1, 2]))`,
    ),
  },
  check,
  look: ['queue/queue.js'],
  repair: patching(
    ...['*** Update File: queue/queue.js', '@@'],
    '-  await Promise.all(jobs.map(async (job) => results.push(await job())))',
    '+  for (const job of jobs) results.push(await job())',
  ),
  slips: [
    wrongPath('a path of another machine', '/app/queue/queue.js'),
    neverEnds('node server.js'),
    untilMessage(
      'a folder that he thinks he has changed to',
      run('cd queue'),
      /each (call|command).*workspace|carries? over/i,
      [run('cd queue && node --test')],
    ),
  ],
}

const windows: Task = {
  name: 'line ends',
  language: 'JavaScript',
  prompt: 'Lines are counted wrongly where they end as on Windows. Repair it.',
  files: {
    'README.md': readme('Lines'),
    'package.json': manifest,
    // Its lines end with CR LF, and the last has no end.
    'lines.js': 'export function lines(text) {\r\n  return text.split("\\n\\r").length\r\n}',
  },
  tests: {
    'lines.test.js': spec(
      `import { lines, count } from './lines.js'`,
      `test('counts', () => assert.deepEqual([lines('a\\r\\nb\\nc'), count('a\\r\\nb')], [3, 2]))`,
    ),
  },
  check,
  look: ['lines.js'],
  repair: patching(
    ...['*** Update File: lines.js', '@@', ' export function lines(text) {'],
    ...['-  return text.split("\\n\\r").length', '+  return text.split(/\\r?\\n/).length', ' }'],
    '+export const count = lines',
  ),
  slips: [
    oddPatch(
      'a patch that marks the missing line end',
      [
        ...['*** Begin Patch', '*** Update File: lines.js', '@@', '-  return text.split("\\n\\r").length', '-}'],
        ...[
          '\\ No newline at end of file',
          '+  return text.split(/\\r?\\n/).length',
          '+}',
          '+export const count = lines',
        ],
        '*** End Patch',
      ].join('\n'),
      /No newline at end of file.*(leave|without)/,
      patching(
        ...['*** Update File: lines.js', '@@', '-  return text.split("\\n\\r").length', '-}'],
        ...['+  return text.split(/\\r?\\n/).length', '+}', '+export const count = lines'],
      ),
    ),
  ],
}

const slug: Task = {
  name: 'moved',
  language: 'JavaScript',
  prompt: 'Slugs keep their umlauts; and move the function to lib/text/. Repair it.',
  files: {
    'README.md': readme('Slugs'),
    'package.json': manifest,
    'lib/slug.js': `export const slug = (title) => title.toLowerCase().replace(/ +/g, '-')\n`,
    'lib/index.js': `export { slug } from './slug.js'\n`,
  },
  tests: {
    'slug.test.js': spec(
      `import { slug } from './lib/index.js'`,
      `test('plain letters', () => assert.equal(slug('Über Uns'), 'uber-uns'))`,
    ),
  },
  check,
  look: ['lib/slug.js', 'lib/index.js'],
  repair: patching(
    ...['*** Update File: lib/slug.js', '*** Move to: lib/text/slug.js', '@@'],
    `-export const slug = (title) => title.toLowerCase().replace(/ +/g, '-')`,
    `+export const slug = (title) => title.toLowerCase().normalize('NFD').replace(/\\p{M}/gu, '').replace(/ +/g, '-')`,
    ...[
      '*** Update File: lib/index.js',
      '@@',
      `-export { slug } from './slug.js'`,
      `+export { slug } from './text/slug.js'`,
    ],
  ),
  slips: [
    {
      name: 'a file that he has moved, by its old name',
      call: run('mkdir lib/text && mv lib/slug.js lib/text/ && sed -i s,./slug,./text/slug, lib/index.js'),
      next: () => [edit('lib/text/slug.js', '.toLowerCase()', `.toLowerCase().normalize('NFD')`)],
    },
    {
      ...wrongPath('a file that he has moved, by its old name', 'lib/slug.js'),
      repairs: true,
    },
    {
      name: 'a part of a text that stands there',
      call: edit('lib/text/slug.js', `.normalize('NFD')`, `.normalize('NFD').replace(/\\p{M}/gu, '')`),
      succeeded: (message) => message.startsWith('Changed'),
      next: () => undefined,
    },
  ],
}

export const javascript = [cart, settings, queue, windows, slug]
