import { useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import {
  FieldErrorAt,
  Form,
  readNumberField,
  readTextField,
  SelectField,
  TextAreaField,
  TextField,
} from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { VendorChoice } from './vendor-choice.tsx'

interface Line {
  key: number
}

/** Lets the user create a bid request with the work, the home, the deadline, and the vendors. */
export function Component() {
  const navigate = useNavigate()
  const [given] = useSearchParams()
  const { today, zone } = useFormats()
  const [communityId, setCommunityId] = useState(given.get('communityId') ?? '')
  const [homeId, setHomeId] = useState(given.get('homeId') ?? '')
  const [scope, setScope] = useState(given.get('scope') ?? '')
  const [vendors, setVendors] = useState<ReadonlySet<string>>(new Set())
  const [lines, setLines] = useState<readonly Line[]>([])
  const communities = useListPage('/api/ext/communities', { limit: 200, sort: 'name' })
  const homes = useListPage(
    '/api/ext/homes',
    { communityId, limit: 200, sort: 'name' },
    { enabled: communityId !== '' },
  )
  const scopes = useListPage('/api/ext/scopes', { limit: 200, sort: 'sequence' })
  const create = plumbline.useMutation('post', '/api/ext/bids/request', {
    onSuccess: ({ id, number, status }) => {
      showToast(status === 'draft' ? `${number} saved as a draft` : `${number} sent`)
      void navigate(`/bidding/${id}`)
    },
  })

  const entries = useMemo(
    () => ({
      current: { communityId, homeId, scope, vendors: [...vendors], lines },
      isChanged: vendors.size > 0 || lines.length > 0,
      restore(before: { communityId: string; homeId: string; scope: string; vendors: string[]; lines: Line[] }) {
        setCommunityId(before.communityId)
        setHomeId(before.homeId)
        setScope(before.scope)
        setVendors(new Set(before.vendors))
        setLines(before.lines)
      },
    }),
    [communityId, homeId, scope, vendors, lines],
  )
  const onSubmit = (data: FormData) => {
    const requested = lines.flatMap(({ key }) => {
      const description = readTextField(data, `line-${key}`)
      const quantity = readNumberField(data, `quantity-${key}`)
      const unit = readTextField(data, `unit-${key}`)
      return description === undefined
        ? []
        : [{ description, ...(quantity !== undefined && { quantity }), ...(unit !== undefined && { unit }) }]
    })
    create.mutate({
      body: {
        ...{ scope, communityId, vendorIds: [...vendors], deadline: readTextField(data, 'deadline') ?? '' },
        homeIds: homeId === '' ? [] : [homeId],
        title: readTextField(data, 'title') ?? null,
        message: readTextField(data, 'message') ?? null,
        lines: requested,
        bidType: requested.length === 0 ? 'lump_sum' : 'both',
        blind: data.get('blind') !== null,
        sendNow: (data.get('sendNow') ?? 'yes') === 'yes',
      },
    })
  }

  return (
    <Page title="New bid request" crumbs={[{ name: 'Bidding', to: '/bidding' }, { name: 'New request' }]}>
      <div className="page-head">
        <h1>New bid request</h1>
        <p>Invite vendors to price a trade. Vendors respond through a link, without an account.</p>
      </div>
      <Form error={create.error} onSubmit={onSubmit} entries={entries}>
        <div className="cols">
          <div className="stack">
            <Panel title="Details">
              <div className="form">
                <div className="form-row">
                  <SelectField
                    name="communityId"
                    label="Community"
                    value={communityId}
                    onChange={(id) => {
                      setCommunityId(id)
                      setHomeId('')
                    }}
                    options={[
                      { value: '', label: 'Choose one' },
                      ...(communities.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
                    ]}
                  />
                  <SelectField
                    name="homeIds"
                    label="Home"
                    value={homeId}
                    onChange={setHomeId}
                    options={[
                      { value: '', label: 'The whole community' },
                      ...(homes.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
                    ]}
                  />
                  <SelectField
                    name="scope"
                    label="Trade"
                    value={scope}
                    onChange={setScope}
                    options={[
                      { value: '', label: 'Choose one' },
                      ...(scopes.data?.data ?? []).map(({ name }) => ({ value: name, label: humanizeName(name) })),
                    ]}
                  />
                </div>
                <div className="form-row">
                  <TextField name="title" label="Title" optional hint="If empty, vendors see the name of the trade." />
                  <TextField
                    name="deadline"
                    label="Deadline"
                    type="date"
                    min={today()}
                    hint={`Bids are due by the end of that day, ${zone}.`}
                  />
                </div>
                <TextAreaField name="message" label="Message" optional hint="Every vendor receives this text." />
              </div>
            </Panel>
            <Panel
              title="Lines"
              hint={lines.length === 0 ? 'without lines, one total price' : 'each has its own price'}
              actions={
                <Button small icon="plus" onClick={() => setLines([...lines, { key: (lines.at(-1)?.key ?? 0) + 1 }])}>
                  Add line
                </Button>
              }
            >
              {lines.length === 0 ? (
                <p className="muted">No lines: vendors enter one total price.</p>
              ) : (
                <div className="form">
                  {lines.map(({ key }, at) => (
                    <fieldset className="line-row" key={key}>
                      <legend className="sr">Line {at + 1}</legend>
                      <TextField name={`line-${key}`} label="Description" pointer={`/lines/${at}/description`} />
                      <TextField
                        name={`quantity-${key}`}
                        label="Quantity"
                        pointer={`/lines/${at}/quantity`}
                        defaultValue="1"
                      />
                      <TextField name={`unit-${key}`} label="Unit" pointer={`/lines/${at}/unit`} defaultValue="LS" />
                      <IconButton
                        icon="x"
                        label={`Remove line ${at + 1}`}
                        look="quiet"
                        onClick={() => setLines(lines.filter((line) => line.key !== key))}
                      />
                    </fieldset>
                  ))}
                </div>
              )}
            </Panel>
          </div>
          <div className="stack">
            <Panel title="Vendors" hint="best match first" isFlush>
              <VendorChoice {...{ scope, communityId, chosen: vendors, onChange: setVendors }} />
              <FieldErrorAt pointer="/vendorIds" />
            </Panel>
            <Panel title="Options">
              <div className="form">
                <label className="check top">
                  <input type="checkbox" name="blind" />
                  <span>
                    Blind bidding<span className="hint"> Amounts are hidden until bidding closes.</span>
                  </span>
                </label>
                <div className="row wrap">
                  <Button look="primary" icon="send" type="submit" name="sendNow" value="yes" busy={create.isPending}>
                    {vendors.size === 0 ? 'Send' : `Send to ${formatCount(vendors.size, 'vendor')}`}
                  </Button>
                  <Button type="submit" name="sendNow" value="no" disabled={create.isPending}>
                    Save draft
                  </Button>
                </div>
              </div>
            </Panel>
          </div>
        </div>
      </Form>
    </Page>
  )
}
