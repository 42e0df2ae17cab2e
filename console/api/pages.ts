type Page<Row> = { data: Row[]; total_count: number }

/** All rows of a list that is told in pages. */
export async function everyPage<Row>(
  ask: (query: { limit: number; offset: number }) => Promise<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = await ask({ limit: 100, offset: rows.length })
    rows.push(...page.data)
    if (page.data.length === 0 || rows.length >= page.total_count) return rows
  }
}
