import type { Progress } from '#interns/registry/intern.ts'
import type { Intern } from '#interns/registry/intern-store.ts'

/** The label of a step that only an intern with a repository has. */
export const cloningStep = 'Cloning the repository'

/** @returns a function that reports a step of a start by its label. */
export function createProgressReporter<Step extends string>(
  steps: readonly Step[],
  { repository }: Intern,
  onProgress: (progress: Progress) => void,
): (label: Step) => void {
  const ownSteps = steps.filter((label) => repository || label !== cloningStep)
  return (label) =>
    onProgress({ step_label: label, step_number: ownSteps.indexOf(label) + 1, total_steps: ownSteps.length })
}
