import type { NamedKind } from '../api/record-names.ts'
import { RecordName } from './record-name.tsx'
import { EmptyCell } from './table.tsx'

/** Shows the names of several referenced records as links. */
export function RecordNames(props: { of: NamedKind; ids: readonly string[]; none: string }) {
  const { of, ids, none } = props
  if (ids.length === 0) return <EmptyCell word={none} />
  return ids.map((id, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <RecordName of={of} id={id} />
    </span>
  ))
}
