import type { ProblemChange } from '../../../client/contract.gen.ts'
import { humanizeField } from '../../../server/platform/values/field-words.ts'
import { toErrorMessage } from '../../api/error-message.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Value } from '../../ui/value-table.tsx'

/** Lists the values that have changed since a proposal was shown, if this is why the proposal could not be approved. */
export function ChangedValues({ error }: { error: unknown }) {
  const changed = error === null ? [] : (toErrorMessage(error).problem?.changed ?? [])
  if (changed.length === 0) return null
  return (
    <div className="table-wrap">
      <table className="table values">
        <caption>Values changed since the proposal</caption>
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
      <td>{resourceId === null ? <code>{field}</code> : humanizeName(humanizeField(field))}</td>
      <td>
        <Value of={before} />
      </td>
      <td>
        <Value of={after} />
      </td>
    </tr>
  )
}
