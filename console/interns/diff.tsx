import { escapeInvisible } from './visible-text.ts'

/**
 * The CSS class of a line of a diff. Only the first two lines can be file headers; similar lines further down are content.
 * `\\ No newline at end of file` is a note.
 */
function lineClass(line: string, index: number): string | undefined {
  if (/^(@@|\\)/.test(line) || (index < 2 && /^(---|\+\+\+) /.test(line))) return 'dim'
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined
}

/** A diff with coloured lines. */
export function Diff({ path, diff }: { path: string; diff: string }) {
  return (
    <>
      {!diff.startsWith('--- ') && <p class="file mono">{escapeInvisible(path)}</p>}
      <pre class="diff">
        {diff
          .replace(/\n$/, '')
          .split('\n')
          .map((line, index) => (
            <span key={index} class={lineClass(line, index)}>
              {escapeInvisible(line)}
            </span>
          ))}
      </pre>
    </>
  )
}
