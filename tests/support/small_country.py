"""A small country in the format of Geobase."""

from collections.abc import Callable

from lear.domains.geo.interpreter import Answer

Run = Callable[[str], Answer]
"""What stands inside of answer(...) -> its answer."""

SMALL_COUNTRY = """\
# Two states that border each other, and an island.
state('north','no','upton',2000,100,1,'upton','twin','a','b').
state('south','so','downton',3000.5e+3,100,2,'twin','c','d','e').
state('isle','is','port',10,1,3,'port','f','g','h').
city('north','no','upton',900).
city('north','no','twin',150001).
city('south','so','twin',150000).
river('long',751,['north','south']).
river('short',750,['south','south']).
border('north','no',['south']).
border('south','so',['north']).
border('isle','is',[]).
highlow('north','no','peak',300,'sea',0).
highlow('south','so','hill',200,'pit',-5).
highlow('isle','is','dune',20,'sea',0).
mountain('north','no','big peak',300).
mountain('north','no','second',250).
lake('puddle',7,['north','isle']).
road('1',['north','south']).
country('land',3002510,201).
"""
