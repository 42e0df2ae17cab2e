import { shown } from './shown.ts'

const toneOf = (line: string) =>
  line.startsWith('@@') || line.startsWith('--- ') || line.startsWith('+++ ')
    ? 'dim'
    : line.startsWith('+')
      ? 'comes'
      : line.startsWith('-')
        ? 'goes'
        : undefined

/** The lines that go and come, each marked by its sign and its colour. */
export function Diff({ path, diff }: { path: string; diff: string }) {
  return (
    <>
      <p class="file mono">{shown(path)}</p>
      <pre class="diff">
        {diff.split('\n').map((line, at) => (
          <span key={at} class={toneOf(line)}>
            {`${shown(line)}\n`}
          </span>
        ))}
      </pre>
    </>
  )
}
