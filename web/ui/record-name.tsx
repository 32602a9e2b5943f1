import { Link } from 'react-router'
import { type NamedKind, useName } from '../api/record-names.ts'
import { Skeleton } from './states.tsx'
import { EmptyCell } from './table.tsx'

/** Path of the page for each kind of record; other kinds have no page. */
const RECORD_PATHS: Partial<Record<NamedKind, (id: string) => string>> = {
  vendor: (id) => `/vendors/${id}`,
  community: (id) => `/communities/${id}`,
  home: (id) => `/homes/${id}`,
  order: (id) => `/orders/${id}`,
  payment: (id) => `/payments/${id}`,
  plan: (id) => `/catalogue/plans/${id}`,
  part: (id) => `/catalogue/parts/${id}`,
  lead: (id) => `/sales/leads/${id}`,
  option: (id) => `/catalogue/options/${id}`,
  key: (id) => `/settings/keys/${id}`,
}

/** Shows the name of a referenced record as a link. */
export function RecordName({ of, id, isPlain = false }: { of: NamedKind; id: string; isPlain?: boolean }) {
  const { data } = useName(of, id)
  if (data === undefined)
    return (
      <>
        <span className="sr">Loading</span>
        <Skeleton width={88} />
      </>
    )
  if (data === null) return <EmptyCell word="not shown" />
  const to = RECORD_PATHS[of]
  return isPlain || to === undefined ? data : <Link to={to(id)}>{data}</Link>
}
