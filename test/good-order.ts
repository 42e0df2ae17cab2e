/** Those that take a minute and more, most of it waiting. Begun first, none of them is waited for alone in the end. */
const longest = [
  'slow/crash',
  'slow/intern-kills',
  'slow/webhooks',
  'slow/workers',
  'slow/budgets',
  'slow/interns-elsewhere',
  'slow/intern-budget',
  'slow/docs',
  'slow/start',
  'slow/intern-files',
  'slow/intern-sleep',
  'slow/money-kills',
  'console/interns',
  'console/keys',
  'slow/database-away',
]

/** The longest first; then those with a browser, which only compute, among those that wait. */
export function inGoodOrder(files: string[]): string[] {
  const first = longest.map((name) => `test/${name}.test.ts`)
  const gone = first.find((file) => !files.includes(file))
  if (gone) throw new Error(`${gone} is gone: take it out of test/good-order.ts`)
  const others = files.filter((file) => !first.includes(file))
  const [inBrowser, waiting] = [others.filter(hasBrowser), others.filter((file) => !hasBrowser(file))]
  const every = Math.floor(waiting.length / inBrowser.length)
  return [
    ...first,
    ...waiting.flatMap((file, at) => (at % every === 0 ? [...inBrowser.splice(0, 1), file] : [file])),
    ...inBrowser,
  ]
}

const hasBrowser = (file: string) => file.startsWith('test/console/')
