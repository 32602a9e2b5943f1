import { type ReactNode, useMemo, useState } from 'react'
import type { Community, Home, HomeUpdate, Plan } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Form, readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The page size limit of one request. A builder has fewer communities, plans, and superintendents. */
const MAX_RECORDS = 200
const HOME_TYPES = ['spec', 'presale', 'custom', 'model'] as const
const ADDRESS_FIELDS = ['line1', 'line2', 'city', 'state', 'postalCode', 'country'] as const

/** The values that a new home and a changed home both accept. */
export interface HomeInput {
  communityId: string
  body: Required<
    Pick<
      HomeUpdate,
      | 'name'
      | 'lotNumber'
      | 'block'
      | 'homeType'
      | 'planId'
      | 'elevation'
      | 'swing'
      | 'superintendentId'
      | 'address'
      | 'accountingId'
    >
  > &
    Pick<HomeUpdate, 'basePrice'> & { name: string }
}

/** The fields of a home: its lot, its plan with the elevation, and its superintendent. */
export function HomeForm(props: {
  /** The home to change; null for a new home. */
  home: Home | null
  /** The community of a new home, from the address of the page. */
  communityId: string
  error: unknown
  isPending: boolean
  word: string
  onSubmit(input: HomeInput): void
}) {
  const { home, error, isPending, word, onSubmit } = props
  const can = useCan()
  const { cents } = useFormats()
  const [communityId, setCommunityId] = useState(home?.communityId ?? props.communityId)
  const [planId, setPlanId] = useState(home?.planId ?? '')
  const [lotNumber, setLotNumber] = useState(home?.lotNumber ?? '')
  const communities = useListPage(
    '/api/ext/communities',
    { limit: MAX_RECORDS, sort: 'name' },
    { enabled: home === null && can('communities:read') },
  )
  const plans = useListPage('/api/ext/plans', { limit: MAX_RECORDS, sort: 'name' }, { enabled: can('options:read') })
    .data?.data
  const offered = (plans ?? []).filter((plan) => plan.id === home?.planId || isOffered(plan, communityId))
  const plan = offered.find(({ id }) => id === planId)
  const built = useBuiltPlan(plan, home)
  const users = useListPage(
    '/api/ext/users',
    { role: 'superintendent', limit: MAX_RECORDS, sort: 'name' },
    { enabled: can('users:read') },
  )
  const entries = useMemo(
    () => ({
      current: { communityId, planId, lotNumber },
      isChanged: planId !== (home?.planId ?? '') || lotNumber !== (home?.lotNumber ?? ''),
      restore(before: { communityId: string; planId: string; lotNumber: string }) {
        setCommunityId(before.communityId)
        setPlanId(before.planId)
        setLotNumber(before.lotNumber)
      },
    }),
    [communityId, planId, lotNumber, home],
  )
  const submit = (form: FormData) => {
    const basePrice = readNumberField(form, 'basePrice')
    const elevation = readTextField(form, 'elevation')
    const address = Object.fromEntries(ADDRESS_FIELDS.map((name) => [name, readTextField(form, name) ?? null]))
    const swing = readTextField(form, 'swing')
    onSubmit({
      communityId,
      body: {
        name: readTextField(form, 'name') ?? (lotNumber.trim() === '' ? '' : `Lot ${lotNumber.trim()}`),
        lotNumber: lotNumber.trim() === '' ? null : lotNumber.trim(),
        block: readTextField(form, 'block') ?? null,
        homeType: HOME_TYPES.find((type) => type === readTextField(form, 'homeType')) ?? 'spec',
        planId: planId === '' ? null : planId,
        elevation: planId === '' ? null : (elevation ?? null),
        swing: swing === 'left' || swing === 'right' ? swing : null,
        ...(basePrice !== undefined ? { basePrice } : home !== null && { basePrice: null }),
        superintendentId: readTextField(form, 'superintendentId') ?? null,
        address: Object.values(address).some((part) => part !== null) ? { ...home?.address, ...address } : null,
        accountingId: readTextField(form, 'accountingId') ?? null,
      },
    })
  }
  const price =
    built === undefined || built.basePrice === null
      ? 'Defaults to the price of the plan and the elevation.'
      : `Defaults to ${cents(built.basePrice)} for the plan, plus the price of the elevation.`
  return (
    <Form error={error} onSubmit={submit} entries={entries}>
      <div className="stack">
        <Panel title="Lot">
          <div className="form">
            <div className="form-row">
              {home === null && (
                <SelectField
                  name="communityId"
                  label="Community"
                  value={communityId}
                  onChange={setCommunityId}
                  options={[
                    { value: '', label: 'Choose one' },
                    ...(communities.data?.data ?? [])
                      .filter(isOpenForHomes)
                      .map(({ id, name }) => ({ value: id, label: name })),
                  ]}
                />
              )}
              <SelectField
                name="homeType"
                label="Type"
                defaultValue={home?.homeType ?? 'spec'}
                options={HOME_TYPES.map((value) => ({ value, label: humanizeName(value) }))}
              />
            </div>
            <div className="form-row">
              <ControlledText name="lotNumber" label="Lot number" value={lotNumber} onChange={setLotNumber} />
              <TextField name="block" label="Block" optional defaultValue={home?.block ?? ''} />
              <TextField
                name="name"
                label="Name"
                optional={lotNumber.trim() !== ''}
                defaultValue={home?.name ?? ''}
                placeholder={lotNumber.trim() === '' ? 'Lot 22' : `Lot ${lotNumber.trim()}`}
              />
            </div>
          </div>
        </Panel>
        <Panel
          title="Plan"
          hint={home === null || home.planId === null ? undefined : 'cannot change once the budget is locked'}
        >
          <div className="form">
            <div className="form-row">
              <SelectField
                name="planId"
                label="Plan"
                optional
                value={planId}
                onChange={setPlanId}
                hint={communityId === '' ? 'Choose a community first.' : 'New homes use the released revision.'}
                options={[
                  { value: '', label: 'No plan yet' },
                  ...offered.map(({ id, name, code }) => ({ value: id, label: `${name} (${code})` })),
                ]}
              />
              {built !== undefined && built.elevations.length > 0 && (
                <SelectField
                  key={built.planId}
                  name="elevation"
                  label="Elevation"
                  defaultValue={home?.planId === planId ? (home.elevation ?? '') : ''}
                  options={[
                    { value: '', label: 'Choose one' },
                    ...built.elevations.map(({ code, name, price }) => ({
                      value: code,
                      label: [code, name, price === 0 ? null : `+${cents(price)}`].filter(Boolean).join(', '),
                    })),
                  ]}
                />
              )}
              <SelectField
                name="swing"
                label="Garage side"
                optional
                defaultValue={home?.swing ?? ''}
                hint="Seen from the street."
                options={[
                  { value: '', label: 'Not decided' },
                  { value: 'left', label: 'Left' },
                  { value: 'right', label: 'Right' },
                ]}
              />
            </div>
            <div className="form-row">
              <TextField
                name="basePrice"
                label="Base price"
                optional
                hint={price}
                {...(home !== null && home.basePrice !== null && { defaultValue: home.basePrice })}
              />
              <SelectField
                name="superintendentId"
                label="Superintendent"
                optional
                defaultValue={home?.superintendentId ?? ''}
                options={[
                  { value: '', label: 'The superintendent of the community' },
                  ...(users.data?.data ?? [])
                    .filter(({ id, status }) => status !== 'disabled' || id === home?.superintendentId)
                    .map(({ id, name }) => ({ value: id, label: name })),
                ]}
              />
            </div>
          </div>
        </Panel>
        <Panel title="Address">
          <div className="form">
            <TextField
              name="line1"
              label="Street"
              optional
              pointer="/address/line1"
              defaultValue={home?.address?.line1 ?? ''}
            />
            <div className="form-row">
              <TextField
                name="city"
                label="City"
                optional
                pointer="/address/city"
                defaultValue={home?.address?.city ?? ''}
              />
              <TextField
                name="state"
                label="State"
                optional
                pointer="/address/state"
                defaultValue={home?.address?.state ?? ''}
              />
              <TextField
                name="postalCode"
                label="ZIP code"
                optional
                pointer="/address/postalCode"
                defaultValue={home?.address?.postalCode ?? ''}
              />
            </div>
            <TextField
              name="accountingId"
              label="Job number in accounting"
              optional
              defaultValue={home?.accountingId ?? ''}
            />
          </div>
        </Panel>
        <div className="row">
          <Button look="primary" type="submit" busy={isPending}>
            {word}
          </Button>
        </div>
      </div>
    </Form>
  )
}

/** A text field whose value other fields use while the user types. */
function ControlledText(props: { name: string; label: ReactNode; value: string; onChange(value: string): void }) {
  const { name, label, value, onChange } = props
  return (
    <Field name={name} label={label} optional>
      {(control) => (
        <input
          {...control}
          className="input"
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

function isOpenForHomes({ status }: Community): boolean {
  return status === 'planning' || status === 'active'
}

/** Returns whether new homes of the community can use the plan. */
function isOffered({ releasedRevision, status, communityIds }: Plan, communityId: string): boolean {
  return (
    releasedRevision !== null &&
    status !== 'retired' &&
    (communityIds.length === 0 || communityIds.includes(communityId))
  )
}

/** Returns the revision from which the home is built, which differs from a newer draft of the plan. */
function useBuiltPlan(
  plan: Plan | undefined,
  home: Home | null,
): { planId: string; basePrice: number | null; elevations: Plan['elevations'] } | undefined {
  const revision = plan === undefined ? null : home?.planId === plan.id ? home.planRevision : plan.releasedRevision
  const isNewest = plan === undefined || revision === null || revision === plan.revision
  const released = useListPage(
    '/api/ext/plans/{planId}/revisions',
    { revision: revision ?? 1, limit: 1 },
    { place: { planId: plan?.id ?? '' }, enabled: !isNewest },
  ).data?.data[0]
  if (plan === undefined) return undefined
  const built = isNewest ? plan : released?.planId === plan.id ? released : undefined
  return built === undefined ? undefined : { planId: plan.id, basePrice: built.basePrice, elevations: built.elevations }
}
