# SPDX-License-Identifier: Apache-2.0
"""The 22 queries of TPC-H in pandas' style: each a function of the tables, which are frames.

They use nothing but pandas' methods, so pandas' own frames go in as well as Atoll's.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np


def date(text: str) -> np.datetime64:
    return np.datetime64(text)


def q1(t: SimpleNamespace) -> Any:
    """Pricing summary."""
    columns = ["l_returnflag", "l_linestatus", "l_quantity", "l_extendedprice", "l_discount", "l_tax"]
    items = t.lineitem[columns][t.lineitem.l_shipdate <= date("1998-09-02")]
    price = items.l_extendedprice * (1 - items.l_discount)
    items = items.assign(disc_price=price, charge=price * (1 + items.l_tax))
    return (
        items.groupby(["l_returnflag", "l_linestatus"])
        .agg(
            sum_qty=("l_quantity", "sum"),
            sum_base_price=("l_extendedprice", "sum"),
            sum_disc_price=("disc_price", "sum"),
            sum_charge=("charge", "sum"),
            avg_qty=("l_quantity", "mean"),
            avg_price=("l_extendedprice", "mean"),
            avg_disc=("l_discount", "mean"),
            count_order=("l_quantity", "size"),
        )
        .reset_index()
    )


def q2(t: SimpleNamespace) -> Any:
    """Cheapest supplier of parts."""
    part = t.part[(t.part.p_size == 15) & t.part.p_type.str.endswith("BRASS")][["p_partkey", "p_mfgr"]]
    nation = t.nation.merge(t.region[t.region.r_name == "EUROPE"], left_on="n_regionkey", right_on="r_regionkey")
    supplier = t.supplier.merge(nation[["n_nationkey", "n_name"]], left_on="s_nationkey", right_on="n_nationkey")
    offers = t.partsupp.merge(part, left_on="ps_partkey", right_on="p_partkey")
    offers = offers.merge(supplier, left_on="ps_suppkey", right_on="s_suppkey")
    cheapest = offers.groupby("p_partkey").ps_supplycost.transform("min")
    best = offers[offers.ps_supplycost == cheapest]
    columns = ["s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment"]
    best = best.sort_values(["s_acctbal", "n_name", "s_name", "p_partkey"], ascending=[False, True, True, True])
    return best[columns].head(100).reset_index(drop=True)


def q3(t: SimpleNamespace) -> Any:
    """Unshipped orders of the highest value."""
    customer = t.customer[t.customer.c_mktsegment == "BUILDING"][["c_custkey"]]
    orders = t.orders[t.orders.o_orderdate < date("1995-03-15")]
    orders = orders.merge(customer, left_on="o_custkey", right_on="c_custkey")
    items = t.lineitem[t.lineitem.l_shipdate > date("1995-03-15")]
    items = items.merge(
        orders[["o_orderkey", "o_orderdate", "o_shippriority"]], left_on="l_orderkey", right_on="o_orderkey"
    )
    items["revenue"] = items.l_extendedprice * (1 - items.l_discount)
    found = items.groupby(["l_orderkey", "o_orderdate", "o_shippriority"], as_index=False).agg({"revenue": "sum"})
    found = found.sort_values(["revenue", "o_orderdate"], ascending=[False, True]).head(10)
    return found[["l_orderkey", "revenue", "o_orderdate", "o_shippriority"]].reset_index(drop=True)


def q4(t: SimpleNamespace) -> Any:
    """Orders that were late, by priority."""
    orders = t.orders[(t.orders.o_orderdate >= date("1993-07-01")) & (t.orders.o_orderdate < date("1993-10-01"))]
    late = t.lineitem.l_orderkey[t.lineitem.l_commitdate < t.lineitem.l_receiptdate]
    orders = orders[orders.o_orderkey.isin(late)]
    return orders.groupby("o_orderpriority").size().reset_index(name="order_count")


def q5(t: SimpleNamespace) -> Any:
    """Revenue of local suppliers by nation."""
    nation = t.nation.merge(t.region[t.region.r_name == "ASIA"], left_on="n_regionkey", right_on="r_regionkey")
    orders = t.orders[(t.orders.o_orderdate >= date("1994-01-01")) & (t.orders.o_orderdate < date("1995-01-01"))]
    customer = t.customer[["c_custkey", "c_nationkey"]].merge(
        nation[["n_nationkey", "n_name"]], left_on="c_nationkey", right_on="n_nationkey"
    )
    orders = orders[["o_orderkey", "o_custkey"]].merge(customer, left_on="o_custkey", right_on="c_custkey")
    items = t.lineitem[["l_orderkey", "l_suppkey", "l_extendedprice", "l_discount"]]
    items = items.merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    items = items.merge(
        t.supplier[["s_suppkey", "s_nationkey"]],
        left_on=["l_suppkey", "n_nationkey"],
        right_on=["s_suppkey", "s_nationkey"],
    )
    items["revenue"] = items.l_extendedprice * (1 - items.l_discount)
    found = items.groupby("n_name", as_index=False).revenue.sum()
    return found.sort_values("revenue", ascending=False).reset_index(drop=True)


def q6(t: SimpleNamespace) -> Any:
    """Revenue of small discounts."""
    items = t.lineitem
    items = items[
        (items.l_shipdate >= date("1994-01-01"))
        & (items.l_shipdate < date("1995-01-01"))
        & items.l_discount.between(0.05 - 1e-9, 0.07 + 1e-9)
        & (items.l_quantity < 24)
    ]
    return float((items.l_extendedprice * items.l_discount).sum())


def q7(t: SimpleNamespace) -> Any:
    """Goods shipped between two nations."""
    nation = t.nation[t.nation.n_name.isin(["FRANCE", "GERMANY"])][["n_nationkey", "n_name"]]
    supplier = t.supplier.merge(nation, left_on="s_nationkey", right_on="n_nationkey")
    supplier = supplier[["s_suppkey", "n_name"]].rename(columns={"n_name": "supp_nation"})
    customer = t.customer.merge(nation, left_on="c_nationkey", right_on="n_nationkey")
    customer = customer[["c_custkey", "n_name"]].rename(columns={"n_name": "cust_nation"})
    orders = t.orders[["o_orderkey", "o_custkey"]].merge(customer, left_on="o_custkey", right_on="c_custkey")
    items = t.lineitem[t.lineitem.l_shipdate.between(date("1995-01-01"), date("1996-12-31"))]
    items = items.merge(supplier, left_on="l_suppkey", right_on="s_suppkey")
    items = items.merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    items = items[items.supp_nation != items.cust_nation]
    items["l_year"] = items.l_shipdate.dt.year
    items["volume"] = items.l_extendedprice * (1 - items.l_discount)
    return items.groupby(["supp_nation", "cust_nation", "l_year"]).volume.sum().reset_index(name="revenue")


def q8(t: SimpleNamespace) -> Any:
    """A nation's share of a market."""
    part = t.part[t.part.p_type == "ECONOMY ANODIZED STEEL"][["p_partkey"]]
    region = t.region[t.region.r_name == "AMERICA"]
    nation = t.nation.merge(region, left_on="n_regionkey", right_on="r_regionkey")
    customer = t.customer[t.customer.c_nationkey.isin(nation.n_nationkey)][["c_custkey"]]
    orders = t.orders[t.orders.o_orderdate.between(date("1995-01-01"), date("1996-12-31"))]
    orders = orders.merge(customer, left_on="o_custkey", right_on="c_custkey")
    items = t.lineitem.merge(part, left_on="l_partkey", right_on="p_partkey")
    items = items.merge(orders[["o_orderkey", "o_orderdate"]], left_on="l_orderkey", right_on="o_orderkey")
    supplier = t.supplier.merge(t.nation, left_on="s_nationkey", right_on="n_nationkey")[["s_suppkey", "n_name"]]
    items = items.merge(supplier, left_on="l_suppkey", right_on="s_suppkey")
    volume = items.l_extendedprice * (1 - items.l_discount)
    items = items.assign(o_year=items.o_orderdate.dt.year, volume=volume)
    items["brazil"] = items.volume.where(items.n_name == "BRAZIL", 0.0)
    found = items.groupby("o_year")[["brazil", "volume"]].sum()
    return (found.brazil / found.volume).reset_index(name="mkt_share")


def q9(t: SimpleNamespace) -> Any:
    """Profit by nation and year."""
    part = t.part[t.part.p_name.str.contains("green", regex=False)][["p_partkey"]]
    items = t.lineitem.merge(part, left_on="l_partkey", right_on="p_partkey")
    costs = t.partsupp[["ps_partkey", "ps_suppkey", "ps_supplycost"]]
    items = items.merge(costs, left_on=["l_partkey", "l_suppkey"], right_on=["ps_partkey", "ps_suppkey"])
    supplier = t.supplier.merge(t.nation, left_on="s_nationkey", right_on="n_nationkey")[["s_suppkey", "n_name"]]
    items = items.merge(supplier, left_on="l_suppkey", right_on="s_suppkey")
    items = t.orders[["o_orderkey", "o_orderdate"]].merge(items, left_on="o_orderkey", right_on="l_orderkey")
    items["amount"] = items.l_extendedprice * (1 - items.l_discount) - items.ps_supplycost * items.l_quantity
    items["o_year"] = items.o_orderdate.dt.year
    found = items.groupby(["n_name", "o_year"], as_index=False).agg(sum_profit=("amount", "sum"))
    return found.sort_values(["n_name", "o_year"], ascending=[True, False]).reset_index(drop=True)


def q10(t: SimpleNamespace) -> Any:
    """Returned items by customer."""
    orders = t.orders[(t.orders.o_orderdate >= date("1993-10-01")) & (t.orders.o_orderdate < date("1994-01-01"))]
    items = t.lineitem[t.lineitem.l_returnflag == "R"][["l_orderkey", "l_extendedprice", "l_discount"]]
    items = items.merge(orders[["o_orderkey", "o_custkey"]], left_on="l_orderkey", right_on="o_orderkey")
    items["revenue"] = items.l_extendedprice * (1 - items.l_discount)
    revenue = items.groupby("o_custkey", as_index=False).revenue.sum()
    found = t.customer.merge(revenue, left_on="c_custkey", right_on="o_custkey")
    found = found.merge(t.nation, left_on="c_nationkey", right_on="n_nationkey")
    columns = ["c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"]
    found = found[columns].sort_values(["revenue", "c_custkey"], ascending=[False, True])
    return found.head(20).reset_index(drop=True)


def q11(t: SimpleNamespace) -> Any:
    """Important stock of a nation."""
    nation = t.nation[t.nation.n_name == "GERMANY"]
    supplier = t.supplier[t.supplier.s_nationkey.isin(nation.n_nationkey)][["s_suppkey"]]
    stock = t.partsupp.merge(supplier, left_on="ps_suppkey", right_on="s_suppkey")
    stock["value"] = stock.ps_supplycost * stock.ps_availqty
    found = stock.groupby("ps_partkey", as_index=False).value.sum()
    found = found[found.value > stock.value.sum() * t.fraction]
    return found.sort_values(["value", "ps_partkey"], ascending=[False, True]).reset_index(drop=True)


def q12(t: SimpleNamespace) -> Any:
    """Shipping modes and priority."""
    items = t.lineitem
    items = items[
        items.l_shipmode.isin(["MAIL", "SHIP"])
        & (items.l_commitdate < items.l_receiptdate)
        & (items.l_shipdate < items.l_commitdate)
        & (items.l_receiptdate >= date("1994-01-01"))
        & (items.l_receiptdate < date("1995-01-01"))
    ][["l_orderkey", "l_shipmode"]]
    items = t.orders[["o_orderkey", "o_orderpriority"]].merge(items, left_on="o_orderkey", right_on="l_orderkey")
    high = items.o_orderpriority.isin(["1-URGENT", "2-HIGH"])
    items = items.assign(high_line_count=high.astype("int64"), low_line_count=(~high).astype("int64"))
    return items.groupby("l_shipmode")[["high_line_count", "low_line_count"]].sum().reset_index()


def q13(t: SimpleNamespace) -> Any:
    """How many orders customers have."""
    orders = t.orders[~t.orders.o_comment.str.contains("special.*requests")][["o_orderkey", "o_custkey"]]
    counts = orders.groupby("o_custkey").size().reset_index(name="c_count")
    customer = t.customer[["c_custkey"]].merge(counts, left_on="c_custkey", right_on="o_custkey", how="left")
    customer["c_count"] = customer.c_count.fillna(0).astype("int64")
    found = customer.groupby("c_count").size().reset_index(name="custdist")
    return found.sort_values(["custdist", "c_count"], ascending=[False, False]).reset_index(drop=True)


def q14(t: SimpleNamespace) -> Any:
    """The effect of a promotion."""
    items = t.lineitem[(t.lineitem.l_shipdate >= date("1995-09-01")) & (t.lineitem.l_shipdate < date("1995-10-01"))]
    items = items[["l_partkey", "l_extendedprice", "l_discount"]]
    items = items.merge(t.part[["p_partkey", "p_type"]], left_on="l_partkey", right_on="p_partkey")
    revenue = items.l_extendedprice * (1 - items.l_discount)
    return float(100 * revenue.where(items.p_type.str.startswith("PROMO"), 0.0).sum() / revenue.sum())


def q15(t: SimpleNamespace) -> Any:
    """The best supplier."""
    items = t.lineitem[(t.lineitem.l_shipdate >= date("1996-01-01")) & (t.lineitem.l_shipdate < date("1996-04-01"))]
    items = items.assign(total_revenue=items.l_extendedprice * (1 - items.l_discount))
    revenue = items.groupby("l_suppkey", as_index=False).total_revenue.sum()
    best = revenue[revenue.total_revenue >= revenue.total_revenue.max() - 1e-6]
    found = t.supplier.merge(best, left_on="s_suppkey", right_on="l_suppkey").sort_values("s_suppkey")
    return found[["s_suppkey", "s_name", "s_address", "s_phone", "total_revenue"]].reset_index(drop=True)


def q16(t: SimpleNamespace) -> Any:
    """Suppliers of parts by their attributes."""
    part = t.part[
        (t.part.p_brand != "Brand#45")
        & ~t.part.p_type.str.startswith("MEDIUM POLISHED")
        & t.part.p_size.isin([49, 14, 23, 45, 19, 3, 36, 9])
    ][["p_partkey", "p_brand", "p_type", "p_size"]]
    complaints = t.supplier[t.supplier.s_comment.str.contains("Customer.*Complaints")].s_suppkey
    offers = t.partsupp[~t.partsupp.ps_suppkey.isin(complaints)][["ps_partkey", "ps_suppkey"]]
    offers = offers.merge(part, left_on="ps_partkey", right_on="p_partkey")
    keys = ["p_brand", "p_type", "p_size"]
    found = offers.groupby(keys).ps_suppkey.nunique().reset_index(name="supplier_cnt")
    return found.sort_values(["supplier_cnt", *keys], ascending=[False, True, True, True]).reset_index(drop=True)


def q17(t: SimpleNamespace) -> Any:
    """Revenue of small orders."""
    part = t.part[(t.part.p_brand == "Brand#23") & (t.part.p_container == "MED BOX")][["p_partkey"]]
    items = t.lineitem[["l_partkey", "l_quantity", "l_extendedprice"]]
    items = items.merge(part, left_on="l_partkey", right_on="p_partkey")
    few = items.l_quantity < 0.2 * items.groupby("l_partkey").l_quantity.transform("mean")
    return float(items[few].l_extendedprice.sum() / 7)


def q18(t: SimpleNamespace) -> Any:
    """Large orders."""
    quantity = t.lineitem.groupby("l_orderkey", as_index=False).l_quantity.sum()
    large = quantity[quantity.l_quantity > 300]
    orders = t.orders.merge(large, left_on="o_orderkey", right_on="l_orderkey")
    found = orders.merge(t.customer[["c_custkey", "c_name"]], left_on="o_custkey", right_on="c_custkey")
    columns = ["c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "l_quantity"]
    found = found[columns].sort_values(["o_totalprice", "o_orderdate"], ascending=[False, True])
    return found.head(100).reset_index(drop=True)


def q19(t: SimpleNamespace) -> Any:
    """Revenue of hand-picked goods."""
    items = t.lineitem
    items = items[items.l_shipmode.isin(["AIR", "AIR REG"]) & (items.l_shipinstruct == "DELIVER IN PERSON")]
    items = items[["l_partkey", "l_quantity", "l_extendedprice", "l_discount"]]
    items = items.merge(t.part, left_on="l_partkey", right_on="p_partkey")

    def wanted(brand: str, containers: list[str], low: int, size: int) -> Any:
        return (
            (items.p_brand == brand)
            & items.p_container.isin(containers)
            & items.l_quantity.between(low, low + 10)
            & items.p_size.between(1, size)
        )

    items = items[
        wanted("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5)
        | wanted("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10)
        | wanted("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15)
    ]
    return float((items.l_extendedprice * (1 - items.l_discount)).sum())


def q20(t: SimpleNamespace) -> Any:
    """Suppliers with more stock than they need."""
    part = t.part[t.part.p_name.str.startswith("forest")].p_partkey
    items = t.lineitem[(t.lineitem.l_shipdate >= date("1994-01-01")) & (t.lineitem.l_shipdate < date("1995-01-01"))]
    items = items[items.l_partkey.isin(part)]
    sold = items.groupby(["l_partkey", "l_suppkey"], as_index=False).l_quantity.sum()
    stock = t.partsupp.merge(sold, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
    enough = stock[stock.ps_availqty > 0.5 * stock.l_quantity].ps_suppkey
    nation = t.nation[t.nation.n_name == "CANADA"]
    found = t.supplier[t.supplier.s_nationkey.isin(nation.n_nationkey) & t.supplier.s_suppkey.isin(enough)]
    return found[["s_name", "s_address"]].sort_values("s_name").reset_index(drop=True)


def q21(t: SimpleNamespace) -> Any:
    """Suppliers that kept orders waiting."""
    items = t.lineitem[["l_orderkey", "l_suppkey"]]
    late = items[t.lineitem.l_receiptdate > t.lineitem.l_commitdate]
    nation = t.nation[t.nation.n_name == "SAUDI ARABIA"]
    supplier = t.supplier[t.supplier.s_nationkey.isin(nation.n_nationkey)][["s_suppkey", "s_name"]]
    found = late.merge(supplier, left_on="l_suppkey", right_on="s_suppkey")
    finished = t.orders.o_orderkey[t.orders.o_orderstatus == "F"]
    found = found[found.l_orderkey.isin(finished)]
    # Only for these orders: all suppliers, and the late ones among them.
    suppliers = items[items.l_orderkey.isin(found.l_orderkey)].groupby("l_orderkey").l_suppkey.agg(["min", "max"])
    blamed = late[late.l_orderkey.isin(found.l_orderkey)].groupby("l_orderkey").l_suppkey.agg(["min", "max"])
    several = suppliers[suppliers["min"] < suppliers["max"]].index
    alone = blamed[blamed["min"] == blamed["max"]].index
    found = found[found.l_orderkey.isin(several) & found.l_orderkey.isin(alone)]
    found = found.groupby("s_name").size().reset_index(name="numwait")
    return found.sort_values(["numwait", "s_name"], ascending=[False, True]).head(100).reset_index(drop=True)


def q22(t: SimpleNamespace) -> Any:
    """Sales opportunities: customers without orders."""
    customer = t.customer.assign(cntrycode=t.customer.c_phone.str[:2])
    customer = customer[customer.cntrycode.isin(["13", "31", "23", "29", "30", "18", "17"])]
    average = customer[customer.c_acctbal > 0].c_acctbal.mean()
    customer = customer[(customer.c_acctbal > average) & ~customer.c_custkey.isin(t.orders.o_custkey)]
    return (
        customer.groupby("cntrycode").agg(numcust=("c_acctbal", "size"), totacctbal=("c_acctbal", "sum")).reset_index()
    )


QUERIES = {number: globals()[f"q{number}"] for number in range(1, 23)}
