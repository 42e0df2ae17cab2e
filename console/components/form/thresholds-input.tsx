/** The percentages in a text such as `50, 80`. */
export const parseThresholds = (text: string): number[] =>
  text
    .split(/[,\s]+/)
    .filter(Boolean)
    .map(Number)

type Props = { value: string; onChange: (value: string) => void }

/** The percentages of a limit at which webhooks are notified, as a text. */
export function ThresholdsInput({ value, onChange }: Props) {
  return (
    <>
      <label>
        Notify webhooks at, in percent of the limit
        <input
          pattern="[0-9,\s]*"
          title="Whole numbers from 1 to 100, separated by commas; empty for none"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      <p class="dim">
        <a href="/interns?part=webhooks">Webhooks</a> deliver the alerts to email, Slack or a program.
      </p>
    </>
  )
}
