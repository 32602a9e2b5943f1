import type { NamedKind } from '../api/names.ts'
import { Name } from './name.tsx'
import { None } from './table.tsx'

/** Shows the names of several referenced records as links. */
export function Names(props: { of: NamedKind; ids: readonly string[]; none: string }) {
  const { of, ids, none } = props
  if (ids.length === 0) return <None word={none} />
  return ids.map((id, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <Name of={of} id={id} />
    </span>
  ))
}
