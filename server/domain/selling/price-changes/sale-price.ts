// A canceled sale keeps its total of options, because the home's selections then belong to other buyers.
export const toOptionsTotalSql = (sale: string) => `case when ${sale}."homeId" is null or ${sale}."status" = 'cancelled'
  then ${sale}."optionsFixed" else (select coalesce(sum("selected"."difference"), 0) from "selections" as "selected"
    where "selected"."organizationId" = ${sale}."organizationId" and "selected"."homeId" = ${sale}."homeId"
      and "selected"."status" in ('approved', 'ordered', 'installed')) end`

/** Returns the SQL expression for the price of a sale, with its row under the given alias. */
export const toTotalPriceSql = (
  sale: string,
) => `${sale}."basePrice" + ${sale}."lotPremium" + (${toOptionsTotalSql(sale)})
  - ${sale}."incentives" - ${sale}."discounts"`
