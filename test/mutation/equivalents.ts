/** A mutant by the source line it stands in, without the blanks around it, and what it changes there. */
export type Equivalent = { file: string; line: string; from: string; to: string; why: string }

/** Mutants that no test could tell from the code. They are not counted as killed, nor as alive. */
export const equivalents: Equivalent[] = [
  {
    file: 'src/db/backup.ts',
    line: 'fsyncSync(target)',
    from: 'fsyncSync(target)',
    to: '{}',
    why: 'It shows only where the machine loses its power.',
  },
  {
    file: 'src/routing/near-names.ts',
    line: '.sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))',
    from: '1',
    to: '2',
    why: 'Of what a comparison says only the sign counts.',
  },
]
