import { useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { BudgetLine } from '../../../client/contract.gen.ts'
import { useHomeOptions } from '../../api/home-names.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { FieldErrorAt, Form, readTextField, SelectField, TextAreaField } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { createOrderLine, type OrderLineDraft, OrderLineFields, readOrderLine } from './order-line-fields.tsx'

/** The page size limit of one request. */
const MAX_RECORDS = 200

/** Lets the user create an order with the home, the vendor, and lines from the budget of the trade. */
export function Component() {
  const navigate = useNavigate()
  const can = useCan()
  const { money } = useFormats()
  const [given] = useSearchParams()
  const [homeId, setHomeId] = useState(given.get('homeId') ?? '')
  const [scope, setScope] = useState(given.get('scope') ?? '')
  const [own, setOwn] = useState(0)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const homes = useListPage('/api/ext/homes', { limit: MAX_RECORDS, sort: 'name' })
  const homeOptions = useHomeOptions(homes.data?.data ?? [])
  const budget = plumbline.useQuery(
    'get',
    '/api/ext/homes/{homeId}/budget',
    { params: { path: { homeId } } },
    { enabled: homeId !== '' && can('budgets:read') },
  ).data
  const vendors = useListPage(
    '/api/ext/vendors',
    { limit: MAX_RECORDS, sort: 'companyName', status: 'active', ...(scope !== '' && { scope }) },
    { enabled: can('vendors:read') },
  )
  const requested = useListPage(
    '/api/ext/homes/{homeId}/budget/lines',
    { scope, limit: MAX_RECORDS, sort: 'createdAt' },
    { place: { homeId }, enabled: homeId !== '' && scope !== '' && can('budgets:read') },
  )
  const budgeted = homeId === '' || scope === '' ? [] : (requested.data?.data ?? [])
  const lines = [
    ...budgeted.map((line) => toLine(line, money(line.budgeted))),
    ...Array.from({ length: own }, (_, at) => createOrderLine(`own-${at}`)),
  ].filter(({ key }) => !left.has(key))
  const create = plumbline.useMutation('post', '/api/ext/purchase-orders', {
    onSuccess: ({ id, number }) => {
      showToast(`${number} created`)
      void navigate(`/orders/${id}`)
    },
  })
  const entries = useMemo(
    () => ({
      current: { homeId, scope, own, left: [...left] },
      isChanged: own > 0 || left.size > 0,
      restore(before: { homeId: string; scope: string; own: number; left: string[] }) {
        setHomeId(before.homeId)
        setScope(before.scope)
        setOwn(before.own)
        setLeft(new Set(before.left))
      },
    }),
    [homeId, scope, own, left],
  )
  const onSubmit = (form: FormData) =>
    create.mutate({
      body: {
        ...{
          homeId,
          vendorId: readTextField(form, 'vendorId') ?? '',
          scope,
          notes: readTextField(form, 'notes') ?? null,
        },
        lines: lines.map((line) => readOrderLine(form, line)),
      },
    })
  return (
    <Page title="New order" crumbs={[{ name: 'Orders', to: '/orders' }, { name: 'New order' }]}>
      <div className="page-head">
        <h1>New order</h1>
        <p>Create a draft order. The approval queue shows the order's effect on the budget.</p>
      </div>
      <Form error={create.error} onSubmit={onSubmit} entries={entries}>
        <div className="stack">
          <Panel title="Details">
            <div className="form">
              <div className="form-row">
                <SelectField
                  name="homeId"
                  label="Home"
                  value={homeId}
                  onChange={(id) => {
                    setHomeId(id)
                    setLeft(new Set())
                  }}
                  options={[{ value: '', label: 'Choose one' }, ...homeOptions]}
                />
                <SelectField
                  name="scope"
                  label="Trade"
                  value={scope}
                  onChange={setScope}
                  hint={homeId === '' ? 'Choose a home first. Its budget lists the trades.' : undefined}
                  options={[
                    { value: '', label: 'Choose one' },
                    ...(budget?.scopes ?? []).map(({ scope: name }) => ({ value: name, label: humanizeName(name) })),
                  ]}
                />
                <SelectField
                  name="vendorId"
                  label="Vendor"
                  options={[
                    { value: '', label: 'Choose one' },
                    ...(vendors.data?.data ?? []).map(({ id, companyName }) => ({ value: id, label: companyName })),
                  ]}
                />
              </div>
            </div>
          </Panel>
          <Panel
            title="Lines"
            hint={budgeted.length === 0 ? undefined : 'from the budget'}
            actions={
              <Button small icon="plus" onClick={() => setOwn(own + 1)}>
                Add line
              </Button>
            }
          >
            <FieldErrorAt pointer="/lines" />
            {lines.length === 0 ? (
              <p className="muted">
                {scope === ''
                  ? 'Choose a home and a trade to see the budgeted lines.'
                  : 'No budget for this trade. Add a line.'}
              </p>
            ) : (
              <div className="form">
                {lines.map((line, at) => (
                  <OrderLineFields
                    key={line.key}
                    {...{ line, at }}
                    onRemove={() => setLeft(new Set([...left, line.key]))}
                  />
                ))}
              </div>
            )}
          </Panel>
          <Panel title="Note">
            <div className="form">
              <TextAreaField name="notes" label="Note for the vendor" optional />
              <div className="row">
                <Button look="primary" type="submit" busy={create.isPending}>
                  Create draft
                </Button>
              </div>
            </div>
          </Panel>
        </div>
      </Form>
    </Page>
  )
}

function toLine(of: BudgetLine, budgeted: string): OrderLineDraft {
  const isLump = of.quantity === null || of.unitCost === null
  return {
    key: of.id,
    initial: {
      description: of.description ?? humanizeName(of.scope),
      quantity: isLump ? 1 : (of.quantity ?? 1),
      unit: isLump ? 'LS' : (of.unit ?? 'LS'),
      unitPrice: isLump ? of.budgeted : (of.unitCost ?? ''),
      taxPercent: 0,
    },
    hint: `${budgeted} budgeted`,
    kept: { budgetLineId: of.id },
  }
}
