import type { ProblemChange } from '../../../client/contract.gen.ts'
import { faultOf } from '../../api/fault.ts'
import { inWords } from '../../ui/badge.tsx'
import { fieldInWords } from '../../ui/history.tsx'
import { Value } from '../../ui/values.tsx'

/** Lists the values that have changed since a proposal was shown, if that is why it could not be approved. */
export function ChangedMeanwhile({ error }: { error: unknown }) {
  const changed = error === null ? [] : (faultOf(error).problem?.changed ?? [])
  if (changed.length === 0) return null
  return (
    <div className="table-wrap">
      <table className="table values">
        <caption>Changed since the proposal</caption>
        <thead>
          <tr>
            <th scope="col">Record</th>
            <th scope="col">Field</th>
            <th scope="col">Then</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {changed.map((change) => (
            <Change key={`${change.resourceId} ${change.field}`} of={change} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Change({ of: { resourceId, field, before, after } }: { of: ProblemChange }) {
  return (
    <tr>
      <td>{resourceId === null ? 'Outcome' : <Value of={resourceId} />}</td>
      <td>{resourceId === null ? <code>{field}</code> : inWords(fieldInWords(field))}</td>
      <td>
        <Value of={before} />
      </td>
      <td>
        <Value of={after} />
      </td>
    </tr>
  )
}
