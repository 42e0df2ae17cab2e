/**
 * Mutants that no test could tell from the code, each with its reason. They are not counted as killed, nor as alive.
 */
export const equivalents: { file: string; from: string; to: string; why: string }[] = []
