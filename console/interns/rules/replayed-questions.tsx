import type { InternReplayedQuestion, InternRulesReplay } from '../../api/types.ts'
import { ClockTime } from '../../components/text/timestamp.tsx'
import { escapeInvisible } from '../visible-text.ts'

const wouldBeLabels = { allow: 'would be allowed', ask: 'would require a question', deny: 'would be denied' }

/** The replayed questions: first those that people answered differently. */
export function ReplayedQuestions({
  replay: { people_decided_otherwise: differences, questions },
}: {
  replay: InternRulesReplay
}) {
  return (
    <>
      <h3>Differences from the actual answers</h3>
      {differences.length === 0 ? (
        <p class="dim">None.</p>
      ) : (
        <List label="Differences from the actual answers" questions={differences} />
      )}
      {questions.length > 0 && (
        <details>
          <summary>Questions: the latest {questions.length} decided by a rule</summary>
          <List label="Questions" questions={questions} />
        </details>
      )}
    </>
  )
}

function List({ label, questions }: { label: string; questions: InternReplayedQuestion[] }) {
  return (
    <table class="plain-table rules-questions" aria-label={label}>
      <tbody>
        {questions.map(({ intern_id, question_id, asked_at, operation, detail, answer, effect, scope, rule }) => (
          <tr key={question_id}>
            <th scope="row">
              <a href={`/interns/${intern_id}`}>
                <ClockTime time={asked_at} />
              </a>
            </th>
            <td>
              <span class="dim">{escapeInvisible(operation ?? '')}</span> <code>{escapeInvisible(detail)}</code>
            </td>
            <td>
              {wouldBeLabels[effect]}{' '}
              <span class="dim">
                by {scope} rule {rule}
              </span>
            </td>
            <td class={answerClass(answer)}>
              {answer === null ? 'not answered' : `members: ${escapeInvisible(answer.replace('_', ' '))}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const answerClass = (answer: string | null) => (answer === null ? 'dim' : answer.startsWith('allow') ? 'ok' : 'bad')
