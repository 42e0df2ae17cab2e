const maxLength = 80
const testName = /(?:^|\n)\s*(?:await )?(?:t\.)?(?:test|it|describe)\(\s*(['"`])((?:\\.|(?!\1).)+)\1/g

/** Returns the names of tests that are longer than a line of a report shows. */
export function findLongTestNames(files: ReadonlyMap<string, string>): string[] {
  return [...files]
    .filter(([path]) => path.endsWith('.test.ts'))
    .flatMap(([path, text]) =>
      [...text.matchAll(testName)]
        .map(([, , name = '']) => name)
        .filter((name) => name.replace(/\\(.)/g, '$1').replace(/\$\{[^}]*\}/g, 'xx').length > maxLength)
        .map((name) => `${path}: ${name}`),
    )
}
