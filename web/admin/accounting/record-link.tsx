import { Link } from 'react-router'
import { findRecordPath } from '../../ui/record-name.tsx'

/** Shows the name of a record in accounting, as a link if the record has a page. */
export function RecordLink({ id, label }: { id: string; label: string }) {
  const to = id.startsWith('ent_') ? `/accounting/journals/${id}` : findRecordPath(id)
  return to === null ? (
    <span className="lead">{label}</span>
  ) : (
    <Link className="lead" to={to}>
      {label}
    </Link>
  )
}
