import type { Permission } from '../../../client/contract.gen.ts'
import { ENTITIES, ENTITY_NAMES, type Entity, isWritableEntity } from './permissions.ts'

/**
 * Shows permissions as a table. Each row is a kind of record, with one column for read and one for write. Users cannot
 * grant permissions that their own role lacks.
 */
export function PermissionMatrix(props: {
  granted: ReadonlySet<string>
  /** The permissions that the user may grant. If left out, the table is read-only. */
  grantable?: ReadonlySet<string>
  onChange?(permission: Permission, isGranted: boolean): void
}) {
  const half = Math.ceil(ENTITY_NAMES.length / 2)
  return (
    <div className="matrix">
      {[ENTITY_NAMES.slice(0, half), ENTITY_NAMES.slice(half)].map((entities) => (
        <table key={entities[0]}>
          <thead>
            <tr>
              <th scope="col">
                <span className="sr">Records</span>
              </th>
              <th scope="col">Read</th>
              <th scope="col">Write</th>
            </tr>
          </thead>
          <tbody>
            {entities.map((entity) => (
              <tr key={entity}>
                <th scope="row">{ENTITIES[entity]}</th>
                <PermissionCell {...props} entity={entity} permission={`${entity}:read`} />
                {isWritableEntity(entity) ? (
                  <PermissionCell {...props} entity={entity} permission={`${entity}:write`} />
                ) : (
                  <td />
                )}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  )
}

function PermissionCell(props: {
  entity: Entity
  permission: Permission
  granted: ReadonlySet<string>
  grantable?: ReadonlySet<string>
  onChange?(permission: Permission, isGranted: boolean): void
}) {
  const { entity, permission, granted, grantable, onChange } = props
  if (grantable === undefined || onChange === undefined) {
    return (
      <td>
        {granted.has(permission) ? (
          <span className="tone-ok">
            ✓<span className="sr">yes</span>
          </span>
        ) : (
          <span className="faint">
            –<span className="sr">no</span>
          </span>
        )}
      </td>
    )
  }
  if (!grantable.has(permission)) {
    return (
      <td>
        <span className="not-yours" title="Not included in your role">
          –<span className="sr">not included in your role</span>
        </span>
      </td>
    )
  }
  return (
    <td>
      <label>
        <input
          type="checkbox"
          aria-label={`${ENTITIES[entity]}: ${permission.split(':')[1]}`}
          checked={granted.has(permission)}
          onChange={(event) => onChange(permission, event.target.checked)}
        />
      </label>
    </td>
  )
}
