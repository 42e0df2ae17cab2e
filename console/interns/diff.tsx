import { escapeInvisible } from './visible-text.ts'

/** Only its first two lines name the file: a line further down that begins like these goes or comes. */
function toneOf(line: string, at: number): string | undefined {
  if (/^(@@|\\)/.test(line) || (at < 2 && /^(---|\+\+\+) /.test(line))) return 'dim'
  return line.startsWith('+') ? 'comes' : line.startsWith('-') ? 'goes' : undefined
}

/** The lines that go and come, each marked by its sign and its colour. */
export function Diff({ path, diff }: { path: string; diff: string }) {
  return (
    <>
      {!diff.startsWith('--- ') && <p class="file mono">{escapeInvisible(path)}</p>}
      <pre class="diff">
        {diff
          .replace(/\n$/, '')
          .split('\n')
          .map((line, at) => (
            <span key={at} class={toneOf(line, at)}>
              {escapeInvisible(line)}
            </span>
          ))}
      </pre>
    </>
  )
}
