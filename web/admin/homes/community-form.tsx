import { useMemo, useState } from 'react'
import type { Community } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SearchSelectField } from '../../ui/search-select-field.tsx'
import { showToast } from '../../ui/toast.tsx'

/** The page size limit of one request. A builder has fewer superintendents. */
const MAX_RECORDS = 200

/**
 * Lets the user create a community, or change it. The workdays of a new community are Monday to Friday until a user
 * changes them.
 */
export function CommunityForm(props: {
  /** The community to change, as last loaded by the page; null for a new community. */
  community: Community | null
  onClose(): void
}) {
  const { community, onClose } = props
  const can = useCan()
  const initialZone = community?.timeZone ?? ''
  const [timeZone, setTimeZone] = useState(initialZone)
  const entries = useMemo(
    () => ({ current: timeZone, isChanged: timeZone !== initialZone, restore: setTimeZone }),
    [timeZone, initialZone],
  )
  const create = plumbline.useMutation('post', '/api/ext/communities', {
    onSuccess: ({ id, name }) => {
      showToast(`${name} added`, { word: 'Open', to: `/communities/${id}` })
      onClose()
    },
  })
  const update = plumbline.useMutation('patch', '/api/ext/communities/{communityId}', {
    onSuccess: ({ name }) => {
      showToast(`${name} changed`)
      onClose()
    },
  })
  const users = useListPage(
    '/api/ext/users',
    { role: 'superintendent', limit: MAX_RECORDS, sort: 'name' },
    { enabled: can('users:read') },
  )
  const superintendents = (users.data?.data ?? []).filter(
    ({ id, status }) => status !== 'disabled' || id === community?.superintendentId,
  )
  const isKnown = superintendents.some(({ id }) => id === community?.superintendentId)
  return (
    <FormDialog
      title={community === null ? 'New community' : `Edit ${community.name}`}
      word={community === null ? 'Add community' : 'Save community'}
      change={community === null ? create : update}
      of={community ?? undefined}
      {...{ onClose, entries }}
      onSubmit={(form, ifMatch) => {
        const body = {
          ...{ name: readTextField(form, 'name') ?? '', code: readTextField(form, 'code') ?? null },
          ...{ city: readTextField(form, 'city') ?? null, state: readTextField(form, 'state') ?? null },
          ...{ postalCode: readTextField(form, 'postalCode') ?? null },
          ...(timeZone !== '' && timeZone !== initialZone && { timeZone }),
          ...{ lotCount: readNumberField(form, 'lotCount') ?? null },
          startsPerWeekTarget: readNumberField(form, 'startsPerWeekTarget') ?? null,
          superintendentId: readTextField(form, 'superintendentId') ?? null,
          accountingId: readTextField(form, 'accountingId') ?? null,
        }
        if (community !== null)
          update.mutate({ params: { path: { communityId: community.id }, header: ifMatch }, body })
        else
          create.mutate({
            body: {
              ...body,
              ...{ workdays: [1, 2, 3, 4, 5], holidays: [] },
              status: form.get('status') === 'planning' ? 'planning' : 'active',
            },
          })
      }}
    >
      <div className="form-row">
        <TextField
          name="name"
          label="Name"
          autoFocus
          placeholder="Juniper Ridge"
          defaultValue={community?.name ?? ''}
        />
        <TextField name="code" label="Code" optional placeholder="JR" defaultValue={community?.code ?? ''} />
      </div>
      <div className="form-row">
        <TextField name="city" label="City" optional defaultValue={community?.city ?? ''} />
        <TextField name="state" label="State" optional defaultValue={community?.state ?? ''} />
        <TextField name="postalCode" label="ZIP code" optional defaultValue={community?.postalCode ?? ''} />
      </div>
      <div className="form-row">
        <TextField
          name="lotCount"
          label="Lots"
          optional
          defaultValue={community?.lotCount ?? ''}
          hint="Limits the number of homes."
        />
        <TextField
          name="startsPerWeekTarget"
          label="Target starts per week"
          optional
          defaultValue={community?.startsPerWeekTarget ?? ''}
        />
      </div>
      <div className="form-row">
        <SelectField
          // A select ignores a value that its list does not contain yet, so it is rendered again once the users are
          // loaded.
          key={users.data === undefined ? 'loading' : 'loaded'}
          name="superintendentId"
          label="Superintendent"
          optional
          defaultValue={community?.superintendentId ?? ''}
          hint="Responsible for every home that has no other superintendent."
          options={[
            { value: '', label: 'Nobody yet' },
            ...superintendents.map(({ id, name }) => ({ value: id, label: name })),
            ...(community?.superintendentId == null || isKnown
              ? []
              : [{ value: community.superintendentId, label: 'Current superintendent' }]),
          ]}
        />
        <SearchSelectField
          name="timeZone"
          label="Time zone"
          value={timeZone}
          onChange={setTimeZone}
          options={listTimeZones(initialZone)}
          hint={
            community === null
              ? 'Defaults to the time zone of the organization.'
              : 'Determines when a day ends. A new time zone also moves the deadlines of open bid requests.'
          }
        />
      </div>
      <TextField name="accountingId" label="ID in accounting" optional defaultValue={community?.accountingId ?? ''} />
      {community === null && (
        <SelectField
          name="status"
          label="Status"
          options={[
            { value: 'active', label: 'Active' },
            { value: 'planning', label: 'Planned' },
          ]}
        />
      )}
    </FormDialog>
  )
}

function listTimeZones(current: string): readonly { value: string; label: string }[] {
  const known = Intl.supportedValuesOf('timeZone')
  const zones = current === '' || known.includes(current) ? known : [current, ...known]
  return zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
}
