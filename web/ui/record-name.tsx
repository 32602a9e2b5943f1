import { Link } from 'react-router'
import { type NamedKind, useRecordName } from '../api/record-names.ts'
import { Skeleton } from './states.tsx'
import { EmptyCell } from './table.tsx'

/** The paths of the pages by kind of record. Other kinds have no page. */
const RECORD_PATHS: Partial<Record<NamedKind, (id: string) => string>> = {
  vendor: (id) => `/vendors/${id}`,
  community: (id) => `/communities/${id}`,
  home: (id) => `/homes/${id}`,
  order: (id) => `/orders/${id}`,
  bill: (id) => `/payments/bills/${id}`,
  payment: (id) => `/payments/${id}`,
  plan: (id) => `/catalogue/plans/${id}`,
  part: (id) => `/catalogue/parts/${id}`,
  journal: (id) => `/accounting/journals/${id}`,
  contract: (id) => `/catalogue/contracts/${id}`,
  lead: (id) => `/sales/leads/${id}`,
  option: (id) => `/catalogue/options/${id}`,
  key: (id) => `/settings/keys/${id}`,
}

/** The kinds of records that users know by name, by ID prefix. */
const KIND_BY_PREFIX: Readonly<Record<string, NamedKind>> = {
  ven: 'vendor',
  com: 'community',
  hom: 'home',
  own: 'homeOwner',
  po: 'order',
  bill: 'bill',
  pay: 'payment',
  usr: 'user',
  lead: 'lead',
  pln: 'plan',
  prt: 'part',
  ctr: 'contract',
  opt: 'option',
  key: 'key',
  cc: 'costCode',
}

/** Returns the kind of the record with this ID; undefined if users do not know such records by name. */
export function findRecordKind(id: string): NamedKind | undefined {
  return KIND_BY_PREFIX[id.slice(0, id.indexOf('_'))]
}

/** Returns the path of a record's page; null if its kind has none. */
export function findRecordPath(id: string): string | null {
  const kind = findRecordKind(id)
  return kind === undefined ? null : (RECORD_PATHS[kind]?.(id) ?? null)
}

/** Shows the name of a referenced record as a link. */
export function RecordName({ of, id, isPlain = false }: { of: NamedKind; id: string; isPlain?: boolean }) {
  const { data } = useRecordName(of, id)
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
